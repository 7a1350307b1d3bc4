"""Several sensitive attributes: shares of each, or of every combination.

python examples/several_attributes.py
"""

import pandas as pd

from fairspectral import FairSpectralClustering, audit
from fairspectral.datasets import load_diabetes_patients


def main() -> None:
    patients = load_diabetes_patients()
    older = patients.X[:, 0] > 0  # the first feature is age, standardised
    groups = pd.DataFrame(
        {
            "sex": patients.sensitive_features,
            "age": pd.Series(older).map({True: "old", False: "young"}),
        }
    )
    combined = groups["sex"] + ", " + groups["age"]
    features = patients.X[:, 1:]  # sensitive attributes are not features

    for mode in ("marginal", "intersection"):
        model = FairSpectralClustering(3, attribute_mode=mode, fairness_tol=0.1, random_state=0)
        model.fit(features, sensitive_features=groups)
        print(f"attribute_mode={mode!r}")
        for name, values in (("sex", groups["sex"]), ("age", groups["age"]), ("both", combined)):
            (found,) = audit(model.labels_, values).attributes
            print(f"  {name:5} smallest share over the usual one: {found.representation_ratio:.2f}")
        print(f"  normalised cut {model.audit_.normalized_cut:.3f} of 3")
        print(f"  {model.fair_assignment_.certificate}\n")


if __name__ == "__main__":
    main()
