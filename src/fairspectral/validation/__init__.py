"""Validation of input, and its error messages.

Every message is one sentence that says what is wrong, where, and what to do. Nothing here
computes; everything here is called before the first computation. `attributes` reads groups,
`values` any column with one value per sample, and `features` the data; `warning` has the class of
all warnings.
"""

from fairspectral.feature_tables import refuse_masked as refuse_masked
from fairspectral.sparse_structure import check_sparse_structure as check_sparse_structure
from fairspectral.validation.attributes import MANY_GROUPS as MANY_GROUPS
from fairspectral.validation.attributes import Attribute as Attribute
from fairspectral.validation.attributes import check_sensitive_features as check_sensitive_features
from fairspectral.validation.features import check_data as check_data
from fairspectral.validation.features import check_dtype as check_dtype
from fairspectral.validation.features import check_n_clusters as check_n_clusters
from fairspectral.validation.features import not_finite as not_finite
from fairspectral.validation.values import encode_values as encode_values
from fairspectral.validation.values import find_missing as find_missing
from fairspectral.validation.warning import FairSpectralWarning as FairSpectralWarning
from fairspectral.validation.warning import warn_of_ignored_y as warn_of_ignored_y
