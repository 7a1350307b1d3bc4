"""What a certificate holds, as JSON and in words; it computes nothing.

`parts` are the claims of data, embedding, labels and cut, `document` puts them together, writes and
reads them, and `words` says them in sentences. `fairspectral.verify` computes the same numbers
again from the data.
"""

from fairspectral.certificate.document import Certificate
from fairspectral.certificate.parts import (
    AttributeClaim,
    CutClaim,
    DataClaim,
    EmbeddingClaim,
    LabelsClaim,
    LinksClaim,
)

__all__ = [
    "AttributeClaim",
    "Certificate",
    "CutClaim",
    "DataClaim",
    "EmbeddingClaim",
    "LabelsClaim",
    "LinksClaim",
]
