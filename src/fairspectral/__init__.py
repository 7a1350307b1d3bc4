"""Spectral clustering in which every group gets its proportional share of every cluster.

>>> from fairspectral import FairSpectralClustering
>>> model = FairSpectralClustering(n_clusters=5, random_state=0)
>>> # model.fit(X, sensitive_features=s); print(model.audit_)
"""

# _start comes first: it guards the imports that follow where this is the command.
from fairspectral import _start, metrics  # noqa: F401
from fairspectral.auditing import Audit, audit
from fairspectral.binning import bin_numeric
from fairspectral.certificate import Certificate
from fairspectral.choosing.choose import choose_k
from fairspectral.choosing.result import ChoiceOfK
from fairspectral.clustering import FairSpectralClustering, load
from fairspectral.describing.describe import describe
from fairspectral.describing.description import Description
from fairspectral.diagnosis import Diagnosis, Finding
from fairspectral.embedding import fair_spectral_embedding
from fairspectral.frontier import FairnessFrontier, fairness_frontier
from fairspectral.later.result import BatchAssignment
from fairspectral.resampling.fitted import stability
from fairspectral.resampling.result import Stability
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.result import FairAssignment
from fairspectral.solvers.admm import ADMMParams
from fairspectral.solvers.krylov import KrylovParams
from fairspectral.solvers.lanczos import LanczosParams
from fairspectral.solvers.result import SolveResult
from fairspectral.validation import FairSpectralWarning
from fairspectral.verification import Verification
from fairspectral.verify import verify_certificate

__version__ = "0.1.0"

__all__ = [
    "ADMMParams",
    "Audit",
    "BatchAssignment",
    "Certificate",
    "ChoiceOfK",
    "Description",
    "Diagnosis",
    "FairAssignment",
    "FairSpectralClustering",
    "FairSpectralWarning",
    "FairnessFrontier",
    "Finding",
    "KrylovParams",
    "LanczosParams",
    "SolveResult",
    "Stability",
    "Verification",
    "audit",
    "bin_numeric",
    "choose_k",
    "describe",
    "fair_assignment",
    "fair_spectral_embedding",
    "fairness_frontier",
    "load",
    "metrics",
    "stability",
    "verify_certificate",
]
