"""A certificate, computed again from the data and the labels.

`recomputing` reads what is given and computes the numbers; `inputs`, `labels`, `cut` and
`embedding` each say whether one part is as claimed, by the tolerances in `comparing`.

Nothing here comes from the solvers or from the rounding, which `make lint` checks: their mistakes
would be found, not repeated.
"""

from fairspectral.verify.recomputing import verify_certificate as verify_certificate
