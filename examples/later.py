"""People who come later: tomorrow's patients, placed without breaking the shares.

Clusters of 300 patients are fitted once. The others come in small batches. Placed by similarity
alone, the shares drift; placed within the bounds, everyone together keeps them, and nobody moves
who was placed before. The model is kept in a file without pickle between the days.

    python examples/later.py
"""

# %% The first 300 patients are the fit; the others come in 14 batches.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import fairspectral
from fairspectral import FairSpectralClustering, audit
from fairspectral.datasets import load_diabetes_patients

patients = load_diabetes_patients()
X, sex = patients.X, np.asarray(patients.sensitive_features)
model = FairSpectralClustering(4, affinity="rbf", fairness_tol=0.1, random_state=0)
model.fit(X[:300], sensitive_features=sex[:300])

# %% Keep the model; nothing in the file is executed when it is read.
folder = Path("example-output")
folder.mkdir(exist_ok=True)
model.save(folder / "patients.npz")

# %% Each day: load it, place the batch, count the people who were placed.
days = np.array_split(np.arange(300, len(X)), 14)
labels = {"most similar": list(model.labels_), "within the bounds": list(model.labels_)}
ratios = {name: [] for name in labels}
for day in days:
    model = fairspectral.load(folder / "patients.npz")
    placed = model.assign(X[day], sensitive_features=sex[day], update=True)
    model.save(folder / "patients.npz")
    labels["most similar"] += list(placed.similar)
    labels["within the bounds"] += list(placed.labels)
    for name, so_far in labels.items():
        (found,) = audit(so_far, sex[: len(so_far)]).attributes
        ratios[name].append(found.representation_ratio)
print(f"{int(model.arrivals_[0].sum())} people came after the fit")
for name, values in ratios.items():
    print(f"{name:>18}: smallest ratio to everyone's share {values[-1]:.2f}")

# %% The picture: the smallest ratio of a share to that of everyone, day by day.
figure, ax = plt.subplots(figsize=(9, 3.2), layout="constrained")
for name, values in ratios.items():
    ax.plot(range(1, len(days) + 1), values, marker="o", label=name)
ax.axhline(0.9, color="0.6", linestyle="--", label="tolerance 0.1, before whole persons")
ax.set(xlabel="batch of new people", ylabel="smallest ratio")
ax.legend()
figure.savefig(folder / "later.png", dpi=100)
