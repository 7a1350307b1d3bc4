"""A survey: people who stand for many, and couples who stay together.

In surveys those who were hard to reach weigh more. Here the weights are made up: the answers of the
older patients of one sex stand for up to eight people each. With `sample_weight` the shares of each
cluster count the people behind the answers. Twenty couples, made up too, were asked together, and
`must_link` keeps them in one cluster.

    python examples/survey.py
"""

# %% The patients come with scikit-learn; the weights of one sex grow with the age, the others fall.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from fairspectral import FairSpectralClustering, audit
from fairspectral.datasets import load_diabetes_patients

patients = load_diabetes_patients()
sex = np.asarray(patients.sensitive_features)
age = patients.X[:, 0].argsort().argsort() / len(sex)  # from 0, the youngest, to 1
weights = np.where(sex == "sex 1", np.ceil(8 * age), np.ceil(3 * (1 - age))).clip(min=1)
couples = [(i, i + 1) for i in range(0, 40, 2)]

# %% Cluster twice: by heads, and by weight with the couples together.
heads = FairSpectralClustering(4, random_state=0).fit(patients.X, sensitive_features=sex)
weighted = FairSpectralClustering(4, random_state=0)
weighted.fit(patients.X, sensitive_features=sex, sample_weight=weights, must_link=couples)

# %% Fair by heads is not fair to the people behind the answers.
behind = audit(heads.labels_, sex, heads.affinity_operator_, sample_weight=weights)
found = {"fair by heads": behind, "fair by weight": weighted.audit_}
for name, one in found.items():
    ratio = one.attributes[0].representation_ratio
    print(f"{name}: smallest ratio of shares {ratio:.2f}, cut {one.normalized_cut:.3f} of 4")
print(weighted.audit_.weights)
assert weighted.fair_assignment_.certified
assert all(weighted.labels_[i] == weighted.labels_[j] for i, j in couples)

# %% The picture: shares of the weight in each cluster, of everyone as a dashed line.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for ax, (name, one) in zip(axes, found.items(), strict=True):
    one.plot(ax)
    ax.set_title(f"{name}: normalised cut {one.normalized_cut:.2f} of 4")
axes[0].get_legend().remove()

folder = Path("example-output")
folder.mkdir(exist_ok=True)
figure.savefig(folder / "survey.png", dpi=100)
