"""The form of our messages: one line, ended by a full stop, without other packages' internals."""

from __future__ import annotations

import re

# Messages of numpy, pandas, scikit-learn and Python that our checks must prevent.
INSIDES = re.compile(
    r"Traceback|object at 0x|<class|<lambda>|could not convert|setting an array element|"
    r"inhomogeneous|broadcast|ufunc|unhashable|not subscriptable|has no len|has no attribute|"
    r"not iterable|not supported between|unexpected keyword|positional argument|Found array|"
    r"Expected 2D|Expected unique|got:|np\.\w+\(|dtype\(|NAType|truth value|unexpected error"
)
# scikit-learn's words for a parameter, which its checks of estimators ask for.
PARAMETER = re.compile(r"The '\w+' parameter of \w+ must be .*\. Got .* instead\.")


def check_sentence(text: str) -> None:
    """Fail unless the text is one sentence."""
    assert text.isprintable(), repr(text)
    if PARAMETER.fullmatch(text):
        return
    assert text.endswith((".", "?")), text
    assert not INSIDES.search(text), text
    # A full stop before a capital letter begins another sentence.
    assert not re.search(r"[a-z0-9)]\. [A-Z]", text), text
