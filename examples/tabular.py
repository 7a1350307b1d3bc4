"""A table: patients in four clusters, with the same mix of the sexes in each.

442 diabetes patients are clustered by age, body mass index, blood pressure and six blood
measurements. Their sex is not among the features, yet plain clusters differ in it, because body
and blood do. The fair clusters keep each sex within 20% of its usual share.

    python examples/tabular.py
"""

# %% The patients come with scikit-learn.
from pathlib import Path

import matplotlib.pyplot as plt

from fairspectral import FairSpectralClustering, audit
from fairspectral.datasets import load_diabetes_patients

patients = load_diabetes_patients()
sex = patients.sensitive_features

# %% Cluster them twice: without the groups, and with them.
plain = FairSpectralClustering(n_clusters=4, random_state=0).fit(patients.X)
fair = FairSpectralClustering(n_clusters=4, random_state=0)
fair.fit(patients.X, sensitive_features=sex)

# %% An audit has the shares of the groups in every cluster; it takes labels from any tool.
before = audit(plain.labels_, sex, plain.affinity_operator_)
after = fair.audit_
print("Plain spectral clustering\n")
print(before)
print("\nFair spectral clustering\n")
print(after)

# %% The picture: a bar is a cluster, the dashed line is the share in everyone.
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for axes, name, found in ((left, "plain", before), (right, "fair", after)):
    found.plot(axes)
    axes.set_title(f"{name}: normalised cut {found.normalized_cut:.2f} of 4")
left.get_legend().remove()

folder = Path("example-output")
folder.mkdir(exist_ok=True)
figure.savefig(folder / "tabular.png", dpi=100)
