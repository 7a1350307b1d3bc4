"""A graph: friends in five clusters, none of them a club of one group.

In this network a common group makes more friendships than a common cluster does. Plain clustering
finds the groups. Fair clustering may not, and finds the five planted clusters instead, which
each have half of either group.

    python examples/graph.py
"""

# %% A graph is an adjacency matrix, or a graph of networkx, igraph or PyTorch Geometric.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering, metrics
from fairspectral.datasets import make_msbm
from fairspectral.palette import group_colours

people = make_msbm(1000, n_clusters=5, n_groups=2, random_state=0)
groups = people.sensitive_features

# %% Cluster with and without the groups, and compare with the planted clusters.
model = FairSpectralClustering(5, affinity="precomputed", random_state=0)
found = {
    "plain": model.fit_predict(people.graph),
    "fair": model.fit_predict(people.graph, sensitive_features=groups),
}
print(f"{'':7}{'planted clusters found':>24}{'worst balance':>16}{'normalised cut':>17}")
for name, labels in found.items():
    agreement = adjusted_rand_score(people.clusters, labels)
    balance = metrics.minimum_balance(labels, groups)
    cut = metrics.normalized_cut(labels, people.graph)
    print(f"{name:7}{agreement:>24.0%}{balance:>16.2f}{cut:>17.3f}")
print("(Found: adjusted Rand index. Balance: 1 is an equal share.)")

# %% The picture: each disc is a cluster, each dot a person in the colour of the group.
figure, axes = plt.subplots(1, 2, figsize=(8, 4.5), layout="constrained")
edges = np.argwhere(np.triu(people.graph))[::400]  # some of the friendships
for ax, (name, labels) in zip(axes, found.items(), strict=True):
    at = np.zeros((len(labels), 2))
    for cluster in range(5):
        members = np.flatnonzero(labels == cluster)
        members = members[np.argsort(groups[members], kind="stable")]
        step = np.arange(len(members))
        spiral = np.sqrt(step)[:, None] * np.c_[np.cos(2.4 * step), np.sin(2.4 * step)]
        turn = 2 * np.pi * cluster / 5
        at[members] = spiral + 32 * np.array([np.sin(turn), np.cos(turn)])
    ax.plot(*at[edges].transpose(2, 1, 0), color="grey", linewidth=0.4, alpha=0.5, zorder=0)
    ax.scatter(*at.T, c=np.array(group_colours(2))[groups], s=6)
    ax.set_title(f"{name}: worst balance {metrics.minimum_balance(labels, groups):.2f}")
    ax.set_aspect("equal")
    ax.axis("off")

folder = Path("example-output")
folder.mkdir(exist_ok=True)
figure.savefig(folder / "graph.png", dpi=85)
