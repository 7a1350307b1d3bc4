"""A story: who is grouped together in the Census, with and without fairness.

2,500 adults of the United States in 1994, clustered by age, schooling, hours and occupation, as an
agency might. Nobody told the plain clustering about sex. It made a cluster of office clerks, two
thirds of them women, and one of craftsmen, nearly all of them men. The fair clustering puts both
together, and keeps the managers and the professionals as they were: they were mixed already.

    FAIRSPECTRAL_DATA=folder/with/adult.data python examples/census.py
"""

# %% The data: Census Income (UCI, CC BY 4.0), from your folder or from its publisher.
import os
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from fairspectral import FairSpectralClustering

home = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult"
source = f"{os.environ.get('FAIRSPECTRAL_DATA') or home}/adult.data"
columns = {0: "age", 4: "schooling", 6: "occupation", 9: "sex", 12: "hours"}
try:
    people = pd.read_csv(source, header=None, skipinitialspace=True, na_values="?")
except OSError:
    raise SystemExit(
        f"There is no Census in {source}: save {home}/adult.data in a folder, and name the folder "
        "in FAIRSPECTRAL_DATA."
    ) from None
people = people[list(columns)].rename(columns=columns).dropna()
people = people.sample(2500, random_state=0).reset_index(drop=True)

# %% Numbers are standardised, occupations become columns of 0 and 1.
numbers = people[["age", "schooling", "hours"]]
numbers = (numbers - numbers.mean()) / numbers.std()
work = pd.get_dummies(people[["occupation"]], dtype=float)
features = pd.concat([numbers, work], axis=1)

# %% The same search with and without bounds, so that fairness is the only difference.
settings = {"affinity": "nearest_neighbors", "n_neighbors": 20, "random_state": 0}
settings["rounding_params"] = {"min_cluster_size": 250}
models = {
    "plain": FairSpectralClustering(5, fairness_tol=None, **settings),
    "fair": FairSpectralClustering(5, fairness_tol=0.1, **settings),
}
for name, model in models.items():
    model.fit(features, sensitive_features=people["sex"])
    print(f"{name}: normalised cut {model.audit_.normalized_cut:.3f} of 5")
    words = model.describe(people[["age", "schooling", "hours", "occupation"]], most=2)
    for sentence, shares in zip(words.sentences, model.audit_.attributes[0].shares, strict=True):
        print(f"- {shares[0]:.0%} women. {sentence}")

# %% Who has other company now? The clerks: many of them stand beside the craftsmen.
labels = pd.Series(models["fair"].labels_)
beside = labels[people["occupation"] == "Craft-repair"].mode()[0]
together = (labels[people["occupation"] == "Adm-clerical"] == beside).mean()
print(f"{together:.0%} of the clerks are now in the cluster with most craftsmen.")

# %% The picture: women and men in each cluster, which is named by its commonest occupation.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.audit_.plot(ax)
    commonest = people["occupation"].groupby(model.labels_).agg(lambda jobs: jobs.mode()[0])
    ax.set_yticks(range(5), commonest)
    ax.set_ylabel("")
    ax.set_title(f"{name}: normalised cut {model.audit_.normalized_cut:.2f} of 5")
axes[0].get_legend().remove()

folder = Path("example-output")
folder.mkdir(exist_ok=True)
figure.savefig(folder / "census.png", dpi=100)
