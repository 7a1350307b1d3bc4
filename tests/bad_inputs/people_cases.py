"""Weights and links: what is accepted, and the error messages, in Python and in the command."""

from __future__ import annotations

from typing import Any

import numpy as np
from bad_input_case import WORKS, Call, K, N, plain, two_groups
from command_case import CLUSTER, Command, column, csv

from fairspectral import FairSpectralClustering


def kept(must: Any = (), cannot: Any = (), **options: Any) -> bool:
    """Fit; whether the result is certified, with every link kept."""
    quick = {"n_init": 1, "rounding_params": {"refine_rounds": 5}}
    model = FairSpectralClustering(K, affinity="rbf", random_state=0, **quick)
    links = {"must_link": must, "cannot_link": cannot, **options}
    found = model.fit(plain(), sensitive_features=two_groups(), **links).labels_
    together = all(found[i] == found[j] for i, j in must)
    return together and all(found[i] != found[j] for i, j in cannot)


def w(name: str, weights: Any, outcome: str = WORKS) -> Call:
    return Call(f"weights: {name}", lambda: kept(sample_weight=weights), outcome)


def links(name: str, outcome: str = WORKS, **given: Any) -> Call:
    return Call(f"links: {name}", lambda: kept(**given), outcome)


def one(value: Any) -> list[Any]:
    """Weights of 1, and another one at row 4."""
    return [value if i == 4 else 1 for i in range(N)]


ADVICE = "every weight must be a finite number of at least 0, so correct it or drop that row."
NUMBERS = "sample_weight must be a list of numbers, one for each person."
POSITIONS = (
    "name the rows of X by their index, nodes by their names, and otherwise by their positions, 0 "
    "to 29."
)
PEOPLE = [
    w("a large one", one(3)),
    w("one of zero", one(0)),
    w("negative", one(-1), f"sample_weight is -1 at row 4; {ADVICE}"),
    w("NaN", one(np.nan), f"sample_weight is nan at row 4; {ADVICE}"),
    w("infinite", one(np.inf), f"sample_weight is inf at row 4; {ADVICE}"),
    w("of text", one("2"), NUMBERS),
    w("two columns", np.ones((N, 2)), NUMBERS),
    w("too few", np.ones(N - 1),
      "sample_weight has 29 values but the data has 30 samples; pass exactly one weight per "
      "sample, in the same order."),
    w("all zero", np.zeros(N),
      "sample_weight is zero for everybody; give somebody a positive weight."),
    w("a group of zero", np.arange(N) % 2,
      "sample_weight is 0 for everybody in group 'f' of 'group', so it has no share "
      "to mirror; give somebody there a weight, or drop these rows."),
    links("both kinds", must=[(0, 1)], cannot=[(0, 2)]),
    links("an array", must=np.array([[0, 1], [1, 4]])),
    links("out of range",
          f"must_link has the pair (0, 30), but there is no person 30; {POSITIONS}",
          must=[(0, 30)]),
    links("negative", f"cannot_link has the pair (-1, 0), but there is no person -1; {POSITIONS}",
          cannot=[(-1, 0)]),
    links("three people", "must_link has (0, 1, 2); every link is a pair of two persons.",
          must=[(0, 1, 2)]),
    links("no pairs", "must_link has 0; every link is a pair of two persons.", must=[0, 1]),
    links("text", "must_link is a str; pass a list of pairs.", must="0,1"),
    links("one person twice", "must_link has the pair (3, 3), which is one person twice.",
          must=[(3, 3)]),
    links("contradictory",
          "cannot_link has the pair 0 and 2, whom must_link puts together; leave one of these "
          "links out.", must=[(0, 1), (1, 2)], cannot=[(0, 2)]),
    links("three apart in two clusters",
          "cannot_link keeps 3 people apart from each other (0, 1, 2), but there are only 2 "
          "clusters; ask for more clusters, or leave some pairs out.",
          cannot=[(0, 1), (1, 2), (0, 2)]),
    links("everybody together",
          "must_link leaves 1 node(s), fewer than n_clusters=2; ask for fewer clusters, or leave "
          "some pairs out.", must=[(i, i + 1) for i in range(N - 1)]),
]  # fmt: skip

WEIGHT = (*CLUSTER, "--weight", "d")
MUST = (*CLUSTER, "--must-link", "{pairs}")
NAMED = (*MUST, "--id", "d")
BOTH = (*MUST, "--cannot-link", "{pairs}")
NAMES = column(f"p{i}" for i in range(N))
PEOPLE_COMMANDS = [
    Command("weights: equal", column("7" * N), WEIGHT),
    *(Command(f"weights: {name}", column(map(str, one(value))), WEIGHT,
              f"{{in}} has {wrong}; correct it, or drop that row.")
      for name, value, wrong in (
        ("negative", "-2", "the negative weight -2 in data row 5 of column 'd'"),
        ("missing", "", "no weight in data row 5 of column 'd'"),
        ("NaN", "nan", "no weight in data row 5 of column 'd'"),
        ("infinite", "inf", "'inf' in data row 5 of the weights 'd', which is no finite number"),
        ("text", "two", "'two' in data row 5 of the weights 'd', which is no finite number"))),
    Command("weights: all zero", column("0" * N), WEIGHT,
            "--weight is zero for everybody; give somebody a positive weight."),
    Command("weights: no such column", csv(), (*CLUSTER, "--weight", "dd"),
            "{in} has no column 'dd' (asked for by --weight); its columns are 'a', 'b', 'c', "
            "'sex'."),
    Command("weights: the sensitive column", csv(), (*CLUSTER, "--weight", "sex"),
            "the column 'sex' is named by --weight and by --sensitive; leave out one of them."),
    Command("links: rows", csv(), MUST, same=False, pairs="1,2\n2,5\n"),
    Command("links: rows under a header", csv(), MUST, same=False, pairs="one,other\n1,2\n"),
    Command("links: names", NAMES, NAMED, same=False, pairs="p0\tp1\n"),
    Command("links: row 0", csv(), MUST,
            "{pairs} has '0' in pair 1, but there is no such row; data rows are numbered 1 to 30.",
            pairs="0,1\n"),
    Command("links: row 31", csv(), MUST,
            "{pairs} has '31' in pair 2, but there is no such row; data rows are numbered 1 to 30.",
            pairs="1,2\n3,31\n"),
    Command("links: an unknown name", NAMES, NAMED,
            "{pairs} has 'p30' in pair 1, but there is no such row; correct it.",
            pairs="p0,p30\n"),
    Command("links: one column", csv(), MUST,
            "{pairs} has 1 column(s); write two names per line, a pair.", pairs="1\n2\n"),
    Command("links: three columns", csv(), MUST,
            "{pairs} has 3 column(s); write two names per line, a pair.", pairs="1,2,3\n"),
    Command("links: one row twice", csv(), MUST,
            "{pairs} has '4' twice in pair 1; a pair is of two people.", pairs="4,4\n"),
    Command("links: empty", csv(), MUST,
            "{pairs} is empty; pass a file with a header line and rows.", pairs="\n"),
    Command("links: contradictory", csv(), BOTH,
            "--cannot-link has the pair 1 and 2, whom --must-link puts together; leave one of "
            "these links out.", pairs="1,2\n"),
    Command("links: names that are not unique", column(["p"] * N), NAMED,
            "{in} has the name 'p' twice in column 'd'; --id needs a column in which every row has "
            "a name of its own.", pairs="p,p\n"),
    Command("links: names without links", csv(), (*CLUSTER, "--id", "a"),
            "--id names the rows for pairs; pass --must-link or --cannot-link too, or leave out an "
            "id with --drop."),
]  # fmt: skip
