"""Bounds of your own: quotas, sizes, and an equal mean age.

Patients are to be put into three arms of a study. Each arm needs 45 to 60% of either sex, a share
of the heavier patients that is half as strict (a tolerance of its own), and 100 to 200 people; and
the arms should be equally old. Shares and sizes are guaranteed in the labels; the mean of an age
is held in the embedding (`constraints=`), which the labels follow, and audited.

    python examples/constraints.py
"""

# %% The attributes are groups with names; the age is a number, and not among the features.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from fairspectral import FairSpectralClustering, audit
from fairspectral.datasets import load_diabetes_patients
from fairspectral.palette import cluster_colour

patients = load_diabetes_patients()
age, features = patients.X[:, 0], patients.X[:, 1:]
heavy = np.where(patients.X[:, 1] > np.quantile(patients.X[:, 1], 0.7), "heavier", "others")
groups = {"sex": patients.sensitive_features, "weight": heavy}

# %% What is asked: quotas by attribute and group, a tolerance for each attribute, sizes.
request = {
    "fairness_tol": {"sex": 0.2, "weight": 0.4},
    "rounding_params": {
        "shares": {"sex": {"sex 1": (0.45, 0.6)}},
        "min_cluster_size": 100,
        "max_cluster_size": 200,
    },
}
arms = {}
for name, constraints in (("age free", None), ("age held", {"age": age})):
    model = FairSpectralClustering(3, effort="fast", random_state=0, **request)
    model.fit(features, sensitive_features=groups, constraints=constraints)
    assert model.fair_assignment_.certified
    arms[name] = audit(model.labels_, groups, constraints={"age": age})
    means = arms[name].covariates[0]
    print(
        f"{name}: arms of {', '.join(map(str, sorted(arms[name].sizes)))}, sex 1 from "
        f"{arms[name].attributes[0].shares[:, 0].min():.0%} to "
        f"{arms[name].attributes[0].shares[:, 0].max():.0%}, mean ages within "
        f"{means.largest:.2f} standard deviations of everyone's"
    )
print(model.fair_assignment_.certificate)

# %% What is impossible is refused before any work, with the nearest that is possible.
try:
    wrong = {"shares": {"sex": {"sex 1": (0.6, None)}}}
    FairSpectralClustering(3, rounding_params=wrong).fit(features, sensitive_features=groups)
except ValueError as refused:
    print(refused)

# %% The picture: how old each arm is, in standard deviations from everyone.
figure, axes = plt.subplots(1, 2, figsize=(8, 2.8), sharex=True, layout="constrained")
for ax, (name, found) in zip(axes, arms.items(), strict=True):
    means = found.covariates[0]
    colours = [cluster_colour(i) for i in range(3)]
    bars = ax.barh(range(3), means.standardized, color=colours)
    ax.bar_label(bars, [f"{x:+.2f}" for x in means.standardized], padding=3, fontsize=9)
    ax.axvline(0, color="black", linewidth=1)
    ax.set_yticks(range(3), [f"arm {i} (n={n})" for i, n in enumerate(found.sizes)])
    ax.set_title(name)
    ax.margins(x=0.25)
figure.supxlabel("mean age, in standard deviations from everyone's", fontsize=10)

folder = Path("example-output")
folder.mkdir(exist_ok=True)
figure.savefig(folder / "constraints.png", dpi=100)
