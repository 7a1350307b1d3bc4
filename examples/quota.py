"""A quota: your own floor for a group, and no small clusters.

Proportional shares are the default, not the only request. Here four groups of patients are to
become four study arms: each arm needs at least 45% of either sex and at least 80 people. These are
own bounds (`lower`) and a floor on the sizes (`min_cluster_size`).

    python examples/quota.py
"""

# %% The requests: the usual one, and the quota of the study.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from fairspectral import FairSpectralClustering
from fairspectral.datasets import load_diabetes_patients
from fairspectral.palette import group_colours, ink_on

patients = load_diabetes_patients()
sex = patients.sensitive_features
requests = {
    "no bounds": {"fairness_tol": None},
    "default": {"fairness_tol": 0.2},
    "quota": {
        "fairness_tol": None,
        "rounding_params": {"lower": {"sex 1": 0.45, "sex 2": 0.45}, "min_cluster_size": 80},
    },
}

# %% Cluster for each; the certificate counts persons, not percentages.
models = {}
for name, request in requests.items():
    model = FairSpectralClustering(4, random_state=0, **request)
    models[name] = model.fit(patients.X, sensitive_features=sex)
    sizes, shares = model.audit_.sizes, model.audit_.attributes[0].shares
    print(
        f"{name:>9}: smallest arm {sizes.min():3d}, smallest share {shares.min():.1%}, "
        f"cut {model.audit_.normalized_cut:.3f} of 4"
    )
print(models["quota"].fair_assignment_.certificate)
assert models["quota"].audit_.attributes[0].shares.min() >= 0.45

# %% The picture: people in each cluster, with the quota as a line.
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    order = np.argsort(-model.audit_.sizes)
    sizes = model.audit_.sizes[order]
    below = np.zeros(4)
    for group, colour in zip(("sex 1", "sex 2"), group_colours(2), strict=True):
        counts = np.bincount(model.labels_[sex == group], minlength=4)[order]
        bars = ax.bar(range(4), counts, bottom=below, color=colour, label=group)
        labels = [f"{share:.0%}" for share in counts / sizes]
        ax.bar_label(bars, labels, label_type="center", color=ink_on(colour), fontsize=9)
        below += counts
    ax.axhline(80, color="black", linestyle="--", linewidth=1)
    ax.set_title(name)
    ax.set_xticks([])
axes[0].set_ylabel("people (dashed: 80)")
axes[2].legend(frameon=False)

folder = Path("example-output")
folder.mkdir(exist_ok=True)
figure.savefig(folder / "quota.png", dpi=100)
