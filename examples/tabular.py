"""A table: 442 patients in four clusters, with the same mix of the sexes in each.

python examples/tabular.py [--output FOLDER]
"""

import argparse
from pathlib import Path

from fairspectral import FairSpectralClustering, audit
from fairspectral.datasets import load_diabetes_patients


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("example-output"))
    folder = parser.parse_args().output

    patients = load_diabetes_patients()
    sex = patients.sensitive_features
    plain = FairSpectralClustering(n_clusters=4, random_state=0).fit(patients.X)
    fair = FairSpectralClustering(n_clusters=4, random_state=0)
    fair.fit(patients.X, sensitive_features=sex)

    print("Plain spectral clustering\n")
    print(audit(plain.labels_, sex, plain.affinity_operator_))
    print("\nFair spectral clustering, each share within 20% of the population's\n")
    print(fair.audit_)

    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "patients-by-cluster.csv"
    fair.audit_.to_frame().to_csv(table, index=False)
    print(f"\nTable: {table}")


if __name__ == "__main__":
    main()
