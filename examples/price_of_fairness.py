"""The price: how the cut rises as the tolerance gets tighter.

A tolerance of 20% is a convention, not a law of nature. Ask a fitted model for the whole frontier
before you choose: where exact shares cost little, take them. Every point is a clustering that you
can use.

    python examples/price_of_fairness.py
"""

# %% Fit once at any tolerance.
from pathlib import Path

import matplotlib.pyplot as plt

from fairspectral import FairSpectralClustering, fairness_frontier
from fairspectral.datasets import load_diabetes_patients
from fairspectral.palette import cluster_colour

patients = load_diabetes_patients()
model = FairSpectralClustering(4, random_state=0)
model.fit(patients.X, sensitive_features=patients.sensitive_features)

# %% The frontier: the best clustering that is known within each tolerance.
frontier = fairness_frontier(model)
print("tolerance   normalised cut    price   largest deviation")
for name, row in zip(frontier.tolerance_names, frontier.rows(), strict=True):
    price, deviation = row["price"] - 1, row["achieved_tol"]
    print(f"{name:>9}   {row['normalized_cut']:>14.3f}   {price:>+6.1%}   {deviation:>17.1%}")

# %% Take the clusters at the tolerance that you chose.
labels = frontier.at(0.05).labels
print(f"At 5% the clusters have {sorted(frontier.at(0.05).sizes.tolist())} people.")

# %% The picture: the price above no constraint at all.
figure, ax = plt.subplots(figsize=(9, 3.4), layout="constrained")
price = 100 * (frontier.price - 1)
ax.fill_between(range(len(price)), price, color=cluster_colour(0), alpha=0.15)
ax.plot(price, marker="o", color=cluster_colour(0))
for place, value in enumerate(price):
    ax.annotate(f"{value:.1f}%", (place, value), (0, 7), textcoords="offset points", ha="center")
ax.set_xticks(range(len(price)), frontier.tolerance_names)
ax.set_xlabel("tolerance: how far a share may lie from the population's")
ax.set_ylabel("price in normalised cut, %")
ax.set_ylim(0, 1.25 * price.max())
ax.spines[["top", "right"]].set_visible(False)

folder = Path("example-output")
folder.mkdir(exist_ok=True)
figure.savefig(folder / "price_of_fairness.png", dpi=100)
