"""Several attributes: shares of each, or of every combination.

Two attributes at once, sex and age. In the mode "marginal" every cluster has its share of women
and its share of older people; the older women may still all be in one place. The mode
"intersection" bounds each combination, at a higher price.

    python examples/several_attributes.py
"""

# %% A DataFrame of attributes takes the place of the single column.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fairspectral import FairSpectralClustering, audit
from fairspectral.datasets import load_diabetes_patients
from fairspectral.palette import cluster_colour

patients = load_diabetes_patients()
groups = pd.DataFrame(
    {
        "sex": patients.sensitive_features,
        "age": np.where(patients.X[:, 0] > 0, "older", "younger"),
    }
)
views = {"sex": groups["sex"], "age": groups["age"], "both": groups["sex"] + ", " + groups["age"]}
features = patients.X[:, 1:]  # the first column is the age

# %% Cluster without groups and in both modes, within a tenth of every share.
model = FairSpectralClustering(3, fairness_tol=0.1, random_state=0)
ratios = {}
for mode in (None, "marginal", "intersection"):
    model.set_params(attribute_mode=mode or "marginal")
    model.fit(features, sensitive_features=None if mode is None else groups)
    found = [audit(model.labels_, values).attributes[0] for values in views.values()]
    name = mode or "no groups"
    ratios[name] = [one.representation_ratio for one in found]
    words = ", ".join(f"{view} {r:.2f}" for view, r in zip(views, ratios[name], strict=True))
    print(f"{name:>12}: smallest ratio by {words}; cut {model.audit_.normalized_cut:.3f} of 3")
print(model.fair_assignment_.certificate)

# %% The picture: the smallest share of a group in any cluster, over its share in everyone.
figure, ax = plt.subplots(figsize=(9, 3.4), layout="constrained")
for place, (name, values) in enumerate(ratios.items()):
    bars = ax.bar(
        np.arange(3) + 0.28 * (place - 1), values, 0.26, label=name, color=cluster_colour(place)
    )
    ax.bar_label(bars, fmt="%.2f", fontsize=9)
ax.axhline(0.9, color="black", linestyle="--", linewidth=1)
ax.text(-0.42, 0.91, "asked for", fontsize=9)
ax.set_xticks(range(3), ["shares of sex", "shares of age", "shares of both combined"])
ax.set_ylabel("smallest ratio")
ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)

folder = Path("example-output")
folder.mkdir(exist_ok=True)
figure.savefig(folder / "several_attributes.png", dpi=100)
