"""A pipeline: scale, cluster, store, and refuse unfair clusters in CI.

The estimator is scikit-learn's kind: it ends a Pipeline, and joblib stores it. The audit is a plain
object, so a build can fail when next month's clusters are not fair any more. The gate takes
labels from any tool; here it lets the fair ones pass and stops k-means.

    python examples/pipeline.py
"""

# %% Raw features in years and units of the laboratory: the pipeline scales them.
from pathlib import Path

import joblib
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairspectral import FairSpectralClustering, audit

table, _ = load_diabetes(return_X_y=True, scaled=False)
sex = np.where(table[:, 1] == 1, "sex 1", "sex 2")
features = np.delete(table, 1, axis=1)

# %% Groups go to the last step by its name.
pipeline = make_pipeline(StandardScaler(), FairSpectralClustering(4, random_state=0))
pipeline.fit(features, fairspectralclustering__sensitive_features=sex)
kmeans = make_pipeline(StandardScaler(), KMeans(4, n_init=10, random_state=0)).fit(features)

# %% Store the fitted pipeline; its labels and its audit come back with it.
folder = Path("example-output")
folder.mkdir(exist_ok=True)
joblib.dump(pipeline, folder / "pipeline.joblib")
stored = joblib.load(folder / "pipeline.joblib")[-1]


# %% The gate: the four-fifths rule. In CI, `fairspectral audit --require-tolerance` does the same.
def passes(labels, groups, least=0.8):
    (found,) = audit(labels, groups).attributes
    return found.representation_ratio >= least


candidates = {"k-means": kmeans[-1].labels_, "fair": stored.labels_}
for name, labels in candidates.items():
    print(f"{name:>8}: {'passes' if passes(labels, sex) else 'stopped'}")

# %% The picture: what the gate saw.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for ax, (name, labels) in zip(axes, candidates.items(), strict=True):
    found = audit(labels, sex)
    found.plot(ax)
    ratio = found.attributes[0].representation_ratio
    ax.set_title(f"{name}: smallest ratio {ratio:.2f}, {'passes' if ratio >= 0.8 else 'stopped'}")
axes[0].get_legend().remove()
figure.savefig(folder / "pipeline.png", dpi=100)
