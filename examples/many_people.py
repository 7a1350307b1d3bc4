"""Many people: 100,000 of them in seconds.

A kernel between 100,000 people would have ten billion entries. A graph of neighbours has a million,
and `effort="fast"` takes the first good clusters. The people live in eight towns, and the nearest
towns have the same group. So plain clusters are of one group at both ends of the map, while
the fair ones join towns that lie a little further apart.

    python examples/many_people.py
"""

# %% Eight towns in four pairs: two pairs mostly of group A, two mostly of group B.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from fairspectral import FairSpectralClustering, audit
from fairspectral.palette import cluster_colour

n_people = 100_000
rng = np.random.default_rng(0)
towns = [(4.5 * pair, 3.5 * side, 0, 0) for pair in range(4) for side in range(2)]
people, town = make_blobs(n_people, centers=towns, random_state=0)  # four features
mostly_a = (town // 2) % 2 == 0
groups = np.where(rng.random(n_people) < np.where(mostly_a, 0.85, 0.15), "A", "B")

# %% Four clusters from the graph of ten neighbours, without the groups and with them.
model = FairSpectralClustering(4, affinity="nearest_neighbors", effort="fast", random_state=0)
found = {
    "plain": model.fit_predict(people),
    "fair": model.fit_predict(people, sensitive_features=groups),
}
smallest = {
    name: audit(labels, groups).attributes[0].shares.min() for name, labels in found.items()
}
for name, share in smallest.items():
    print(f"{name:>5}: in some cluster a group has only {share:.0%}")
print(f"The graph takes {model.affinity_operator_.nbytes / 1e6:.0f} MB.")
print(model.fair_assignment_.certificate)

# %% The picture: some of the people where they live, in the colours of their clusters.
figure, axes = plt.subplots(1, 2, figsize=(9, 2.8), layout="constrained")
shown = rng.permutation(n_people)[:2000]
for ax, (name, labels) in zip(axes, found.items(), strict=True):
    colours = [cluster_colour(label) for label in labels[shown]]
    ax.scatter(*people[shown, :2].T, c=colours, s=4)
    for x, y, *_ in towns:
        ax.text(x, y, "AB"[round(x / 4.5) % 2], ha="center", va="center", weight="bold", size=14)
    ax.set_title(f"{name}: every group has {smallest[name]:.0%} or more")
    ax.axis("off")

folder = Path("example-output")
folder.mkdir(exist_ok=True)
figure.savefig(folder / "many_people.png", dpi=100)
