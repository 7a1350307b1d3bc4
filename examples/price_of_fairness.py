"""The price of fairness: how the cut rises as the tolerance gets tighter.

python examples/price_of_fairness.py [--output FOLDER]
"""

import argparse
from pathlib import Path

from fairspectral import FairSpectralClustering
from fairspectral.datasets import load_diabetes_patients
from fairspectral.frontier import fairness_frontier


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("example-output"))
    folder = parser.parse_args().output

    patients = load_diabetes_patients()
    groups = patients.sensitive_features
    model = FairSpectralClustering(4, random_state=0).fit(patients.X, sensitive_features=groups)
    frontier = fairness_frontier(model)

    print("tolerance   normalised cut    price   largest deviation")
    for row in frontier.rows():
        tolerance = "none" if row["fairness_tol"] is None else f"{row['fairness_tol']:g}"
        print(f"{tolerance:>9}   {row['normalized_cut']:>14.3f}   {row['price'] - 1:>+6.1%}"
              f"   {row['achieved_tol']:>17.1%}")  # fmt: skip

    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / "price-of-fairness.png"
    frontier.plot().figure.savefig(picture, dpi=120)
    print(f"\nPicture: {picture}")


if __name__ == "__main__":
    main()
