"""Validation of input, and its error messages.

Every message is one sentence that says what is wrong, where, and what to do. Nothing here
computes; everything here is called before the first computation. `attributes` reads groups,
`values` any column with one value per sample, and `features` the data; `warning` has the class of
all warnings.
"""

from fairspectral.feature_tables import refuse_masked
from fairspectral.sparse_structure import check_sparse_structure
from fairspectral.validation.attributes import MANY_GROUPS, Attribute, check_sensitive_features
from fairspectral.validation.features import (
    all_finite,
    check_data,
    check_dtype,
    check_finite_features,
    check_n_clusters,
)
from fairspectral.validation.values import encode_values, find_missing
from fairspectral.validation.warning import FairSpectralWarning, warn_of_ignored_y

__all__ = [
    "MANY_GROUPS",
    "Attribute",
    "FairSpectralWarning",
    "all_finite",
    "check_data",
    "check_dtype",
    "check_finite_features",
    "check_n_clusters",
    "check_sensitive_features",
    "check_sparse_structure",
    "encode_values",
    "find_missing",
    "refuse_masked",
    "warn_of_ignored_y",
]
