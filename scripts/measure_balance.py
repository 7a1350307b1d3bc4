"""What `constraints=age` does to the labels: the table of ``docs/constraints.md``.

``python scripts/measure_balance.py`` clusters the diabetes patients with and without the
constraint, and prints the largest difference of a cluster's mean age from everyone's, and the cut.
"""

from __future__ import annotations

from fairspectral import FairSpectralClustering, audit
from fairspectral.datasets import load_diabetes_patients


def main() -> None:
    """Print the rows of the table."""
    patients = load_diabetes_patients()
    age, features, sex = patients.X[:, 0], patients.X[:, 1:], patients.sensitive_features
    for affinity in ("rbf", "nearest_neighbors"):
        for k in (2, 3, 5):
            differences, cuts = [], []
            for constraints in (None, age):
                model = FairSpectralClustering(k, affinity=affinity, random_state=0)
                model.fit(features, sensitive_features=sex, constraints=constraints)
                found = audit(model.labels_, sex, constraints=age)
                differences.append(f"{found.covariates[0].largest:.2f}")
                cuts.append(f"{model.audit_.normalized_cut:.3f}")
            print(f"| `{affinity}` | {k} | {' | '.join([*differences, *cuts])} |", flush=True)


if __name__ == "__main__":
    main()
