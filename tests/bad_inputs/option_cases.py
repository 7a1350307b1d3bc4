"""Labels of an audit and options of the commands: what is accepted, and the error messages."""

from __future__ import annotations

from typing import Any

import numpy as np
from bad_input_case import WORKS, N
from command_case import AUDIT, CLUSTER, Command, csv


def a(name: str, labels: Any, outcome: str = WORKS, *words: str, **options: Any) -> Command:
    """A case about labels: one alternates with the groups, the other does not."""
    rows = [[str(label)] for label in labels]
    content = csv(rows=rows, header="label,sex")
    return Command(f"audit: {name}", content, (*AUDIT, *words), outcome, same=False, **options)


GATE = ("--require-tolerance", "0.2")
AUDITS = [
    a("fair labels", np.arange(N) // 2 % 2, WORKS, *GATE),
    *(a(f"labels {one} and {two}", [one, two] * 15, WORKS, *GATE, status=1) for one, two in (
        ("9007199254740992", "9007199254740993"), ("01", "1"), ("1e2", "100"), ("-", "+"),
        ("None", "none"), ("inf", "-inf"), ("True", "true"), ("=1+1", "2"), ("0", "-0"),
        ("1", "1.0"), ("é", "e\u0301"))),
    a("a missing label", ["", *"ab" * 14, "b"],
      "{in} has 1 row(s) without a label in column 'label', the first in data row 1 (nothing); "
      "label or remove them."),
    a("a label NaN", ["nan", *"ab" * 14, "b"],
      "{in} has 1 row(s) without a label in column 'label', the first in data row 1 (nan); label "
      "or remove them."),
    a("labels that differ in blanks", ["a", " a", *"ab" * 14],
      "{in} has the labels 'a' and ' a' in column 'label', which differ in blanks only; write "
      "them alike if they are one cluster, or give one of them another name."),
    a("one label", ["a"] * N, WORKS, *GATE),
    a("every row another label", range(N), WORKS),
    a("an infinite tolerance", "ab" * 15,
      "--require-tolerance has inf; a tolerance is a finite number of at least 0, such as 0.2 "
      "for the four-fifths rule.", "--require-tolerance", "inf"),
    a("a tolerance of NaN", "ab" * 15,
      "--require-tolerance has nan; a tolerance is a finite number of at least 0, such as 0.2 "
      "for the four-fifths rule.", "--require-tolerance", "nan"),
    a("a negative tolerance", "ab" * 15,
      "--require-tolerance has -1; a tolerance is a finite number of at least 0, such as 0.2 "
      "for the four-fifths rule.", "--require-tolerance", "-1"),
    a("a tolerance of text", "ab" * 15,
      "--require-tolerance has 'tight', which is not a number; write for example 0.2, or "
      "sex=0.1,region=0.3 for a tolerance of each attribute.",
      "--require-tolerance", "tight"),
    a("a wrong column", "ab" * 15,
      "{in} has no column 'sexx' (asked for by --sensitive); did you mean 'sex'?", "-s", "sexx"),
    a("bins of one", "ab" * 15,
      "--bin has 'sex=1'; write a sensitive column and a number of groups of at least 2, such as "
      "age=5.", "--bin", "sex=1"),
    a("bins of another column", "ab" * 15,
      "--bin label=2 names a column that is not sensitive; pass --sensitive label too, or "
      "correct the name.", "--bin", "label=2"),
]  # fmt: skip


def o(name: str, outcome: str, *words: str, **options: Any) -> Command:
    """A case about options, with the plain table."""
    return Command(f"option: {name}", csv(), words, outcome, **options)


def k(name: str, outcome: str, *words: str, **options: Any) -> Command:
    return o(name, outcome, *CLUSTER, *words, **options)


OPTIONS = [
    o("no command", "there is no command 'clutser'; did you mean cluster?", "clutser", "{in}"),
    o("no file", "FILE is missing; add it, or see fairspectral cluster --help.", "cluster", "-s",
      "sex", "-k", "2"),
    o("a file that is not there", "{out} does not exist; check the path.", "cluster", "{out}",
      "-s", "sex", "-k", "2"),
    o("a folder", "{folder} is a folder; name a file in it.", "cluster", "{folder}", "-s", "sex",
      "-k", "2"),
    o("no clusters", "--clusters is missing; add it, or see fairspectral cluster --help.",
      "cluster", "{in}", "-s", "sex"),
    o("no sensitive column",
      "no sensitive column is named; pass --sensitive with a column of {in}: 'a', 'b', 'c', "
      "'sex'.", "cluster", "{in}", "-k", "2"),
    o("two files",
      "'{in}' is one word too many; put the option's name before each of several values, and "
      "quotes around a name with blanks, or see fairspectral cluster --help.", "cluster", "{in}",
      "{in}", "-s", "sex", "-k", "2"),
    k("clusters 0", "--clusters must be at least 1; see fairspectral cluster --help.", "-k", "0"),
    k("clusters 2.5", "--clusters must be a whole number; see fairspectral cluster --help.", "-k",
      "2.5"),
    k("clusters of text", "--clusters must be a whole number; see fairspectral cluster --help.",
      "-k", "two"),
    k("clusters beyond n",
      "--clusters 31 is larger than 30, the 30 samples; choose --clusters of at most 30.", "-k",
      "31"),
    k("clusters of 20 digits",
      "--clusters 99999999999999999999 is larger than 30, the 30 samples; choose --clusters of "
      "at most 30.", "-k", "9" * 20),
    k("a wrong sensitive column",
      "{in} has no column 'sexx' (asked for by --sensitive); did you mean 'sex'?", "-s", "sexx"),
    k("the sensitive column twice", WORKS, "-s", "sex"),
    k("an unknown option", "there is no option --cluster; did you mean --clusters?", "--cluster",
      "3"),
    k("an option without its value", "--tolerance needs a value; --help shows how.", "--tolerance"),
    k("tolerance negative",
      "--tolerance has -0.1; a tolerance is a finite number of at least 0, such as 0.2 for the "
      "four-fifths rule.", "--tolerance", "-0.1"),
    k("tolerance NaN",
      "--tolerance has nan; a tolerance is a finite number of at least 0, such as 0.2 for the "
      "four-fifths rule.", "--tolerance", "nan"),
    k("tolerance infinite",
      "--tolerance has inf; a tolerance is a finite number of at least 0, such as 0.2 for the "
      "four-fifths rule.", "--tolerance", "inf"),
    k("tolerance of text",
      "--tolerance has 'tight', which is not a number; write for example 0.2, or "
      "sex=0.1,region=0.3 for a tolerance of each attribute.", "--tolerance", "tight"),
    k("tolerance with a comma",
      "--tolerance has '0,2', which is not a number; write for example 0.2, or "
      "sex=0.1,region=0.3 for a tolerance of each attribute.", "--tolerance", "0,2"),
    k("tolerance of an unknown attribute",
      "--tolerance names the unknown attribute 'region'; the sensitive attributes are 'sex'.",
      "--tolerance", "sex=0.1,region=0.3"),
    k("tolerance without its attribute",
      "--tolerance has '0.3'; write one tolerance for each attribute, such as "
      "sex=0.1,region=0.3.", "--tolerance", "sex=0.1,0.3"),
    k("share without a column",
      "--share has 'f=0.4..0.6'; write a sensitive column (sex), a group and its shares, such as "
      "sex:f=0.4..0.6.", "--share", "f=0.4..0.6"),
    k("share of text",
      "--share has 'sex:f=many'; write shares between 0 and 1, such as 0.4..0.6, 0.4.. or 0.5.",
      "--share", "sex:f=many"),
    k("share without a number",
      "--share has 'sex:f=..0.5..'; write shares between 0 and 1, such as 0.4..0.6, 0.4.. or 0.5.",
      "--share", "sex:f=..0.5.."),
    k("share of an unknown group",
      "shares names the unknown group 'x' of 'sex'; its groups are 'f', 'm'.",
      "--share", "sex:x=0.4..0.6"),
    k("balance of an unknown column",
      "{in} has no column 'aa' (asked for by --balance); did you mean 'a'?", "--balance", "aa"),
    k("balance with a certificate",
      "--certificate says nothing of means, so that verify could not repeat --balance; leave out "
      "one of them.", "--balance", "a", "--certificate", "{out}.json"),
    k("balance of groups",
      "--balance sex names a column that does not hold numbers; pass a column of groups as "
      "--sensitive instead.", "--balance", "sex"),
    k("max-cluster-size beyond",
      "--max-cluster-size 14 is not possible with 30 persons in 2 clusters, of which one has at "
      "least 15; pass at least 15, or more clusters.", "--max-cluster-size", "14"),
    k("affinity unknown",
      "--affinity 'rfb' is unknown (did you mean 'rbf'?); choose one of 'auto', "
      "'nearest_neighbors', 'gower', 'additive_chi2', 'chi2', 'cosine', 'laplacian', 'linear', "
      "'poly', 'polynomial', 'rbf', 'sigmoid'.", "--affinity", "rfb"),
    k("affinity precomputed",
      "--affinity 'precomputed' is unknown; choose one of 'auto', 'nearest_neighbors', 'gower', "
      "'additive_chi2', 'chi2', 'cosine', 'laplacian', 'linear', 'poly', 'polynomial', 'rbf', "
      "'sigmoid'.", "--affinity", "precomputed"),
    k("gamma 0", "--gamma '0' is not a width; pass a positive number, scale or auto.", "--gamma",
      "0"),
    k("gamma NaN", "--gamma 'nan' is not a width; pass a positive number, scale or auto.",
      "--gamma",
      "nan"),
    k("gamma of text",
      "--gamma 'scal' is not a width (did you mean 'scale'?); pass a positive number, scale or "
      "auto.",
      "--gamma", "scal"),
    k("neighbors 0", "--neighbors must be at least 1; see fairspectral cluster --help.",
      "--affinity", "nearest_neighbors", "--neighbors", "0"),
    k("neighbors beyond n", "--neighbors 31 must lie between 1 and the number of samples, 30.",
      "--affinity", "nearest_neighbors", "--neighbors", "31"),
    k("solver unknown",
      "--solver 'krilov' is unknown (did you mean 'krylov'?); choose one of 'auto', 'krylov', "
      "'admm', 'lanczos', 'nullspace'.", "--solver", "krilov"),
    k("seed -1", "--seed -1 must lie between 0 and 4294967295.", "--seed", "-1"),
    k("seed beyond", "--seed 4294967296 must lie between 0 and 4294967295.", "--seed",
      "4294967296"),
    k("seed of text", "--seed must be a whole number; see fairspectral cluster --help.", "--seed",
      "lucky"),
    k("memory unknown",
      "--memory-budget 'lots' is not an amount of memory; pass a number of bytes or a text such "
      "as '4GB'.", "--memory-budget", "lots"),
    k("memory negative",
      "--memory-budget '-1GB' is not an amount of memory; pass a number of bytes or a text such "
      "as '4GB'.", "--memory-budget", "-1GB"),
    k("threads 0", "--threads must be at least 1; see fairspectral cluster --help.", "--threads",
      "0"),
    k("mode unknown",
      "--attribute-mode must be one of 'marginal', 'intersection' (did you mean marginal?); see "
      "fairspectral cluster --help.", "--attribute-mode", "margnal"),
    k("missing unknown",
      "--missing-sensitive must be one of 'error', 'category'; see fairspectral cluster --help.",
      "--missing-sensitive", "drop"),
    k("min-cluster-size 0",
      "--min-cluster-size must be at least 1; see fairspectral cluster --help.",
      "--min-cluster-size", "0"),
    k("min-cluster-size beyond",
      "--min-cluster-size 16 is not possible with 30 persons in 2 clusters; it must lie between "
      "1 and 15.", "--min-cluster-size", "16"),
    k("bin without a number",
      "--bin has 'sex'; write a sensitive column and a number of groups of at least 2, such as "
      "age=5.", "--bin", "sex"),
    k("bin of another column",
      "--bin a=3 names a column that is not sensitive; pass --sensitive a too, or correct the "
      "name.", "--bin", "a=3"),
    k("drop a wrong column", "{in} has no column 'aa' (asked for by --drop); did you mean 'a'?",
      "--drop", "aa"),
    k("drop everything",
      "{in} has no column to compare the rows by, because all of them are sensitive or dropped; "
      "use another one.", "--drop", "a", "--drop", "b", "--drop", "c"),
    k("a column that is there",
      "{in} has a column 'a' already; choose another name for the new one with --label-column.",
      "--label-column", "a", "-o", "{folder}/labels.csv"),
    k("an empty label column", "--label-column is empty; give the new column a name.",
      "--label-column", " "),
    k("a label column with a comma", WORKS, "--label-column", "my, cluster"),
    k("output of another kind",
      "{folder}/labels.xlsx ends in '.xlsx', which is not written; choose a name that ends in "
      "one of .csv, .tsv, .tab, .txt, .parquet, .pq, .npy.", "-o", "{folder}/labels.xlsx"),
    k("output without an ending",
      "{folder}/labels has no ending; choose a name that ends in one of .csv, .tsv, .tab, .txt, "
      ".parquet, .pq, .npy.", "-o", "{folder}/labels"),
    k("output in no folder",
      "the folder {folder}/none of labels.csv does not exist; make it first.", "-o",
      "{folder}/none/labels.csv"),
    k("output over the input",
      "{in} is the input and would be written over; choose another name.", "-o", "{in}"),
    k("output a folder", "{folder}/made.csv is a folder; name a file to write.", "-o",
      "{folder}/made.csv"),
    k("report of another kind",
      "{folder}/report.pdf ends in '.pdf', which is not written; choose a name that ends in one "
      "of .html, .htm.", "--report", "{folder}/report.pdf"),
    k("groups of another length",
      "{short} has 2 rows but {in} has 30; it needs one row for each, in the same "
      "order.", "--groups", "{short}"),
    o("graph without groups",
      "--graph needs --groups FILE, a table with a row for each node: its name in the first "
      "column, its groups in the others.", "cluster", "{in}", "--graph", "-k", "2"),
    o("choose-k: one number", "--max-clusters 3 is less than --min-clusters 9; swap them.",
      "choose-k", "{in}", "-s", "sex", "--min-clusters", "9",
      "--max-clusters", "3"),
    o("choose-k: resamples below none", "--stability must be at least 0; see fairspectral choose-k "
      "--help.", "choose-k", "{in}", "-s", "sex", "--stability", "-1"),
    o("compare: no number", "--clusters has 'two', which is not a number of clusters; write for "
      "example 3,4,5 or 3-5.", "compare", "{in}", "-s", "sex", "-k", "two"),
    o("compare: a range the wrong way round", "--clusters has the range '3-2' the wrong way round; "
      "swap it.", "compare", "{in}", "-s", "sex", "-k", "3-2"),
    o("compare: no tolerance", "--tolerances has 'wide', which is not a number; write for example "
      "0,0.1,0.2,none.", "compare", "{in}", "-s", "sex", "-k", "2", "--tolerances", "wide"),
    o("frontier: a tolerance by attribute",
      "--tolerances has 'sex=0.1', but its numbers are for all attributes alike; write for example "
      "0,0.1,0.2,none, or use fairness_frontier in Python.",
      "frontier", "{in}", "-s", "sex", "-k", "2", "--tolerances", "sex=0.1"),
    o("plain: a share", "--plain asks for no fairness, so --share would not be kept; leave out one "
      "of them.", *CLUSTER, "--plain", "--share", "sex:f=0.4..0.6"),
    o("plain: a tolerance by attribute",
      "--plain asks for no fairness, so --tolerance by attribute would not be kept; leave out one "
      "of them.", *CLUSTER, "--plain", "--tolerance", "sex=0.1"),
    o("frontier: clusters 0", "--clusters must be at least 1; see fairspectral frontier --help.",
      "frontier", "{in}", "-s", "sex", "-k", "0"),
    o("frontier: a wrong column",
      "{in} has no column 'sexx' (asked for by --sensitive); did you mean 'sex'?", "frontier",
      "{in}", "-s", "sexx", "-k", "2"),
    o("frontier: plot of another kind",
      "{folder}/plot.csv ends in '.csv', which is not written; choose a name that ends in one of "
      ".png, .svg, .pdf.", "frontier", "{in}", "-s", "sex", "-k", "2",
      "--plot", "{folder}/plot.csv"),
]  # fmt: skip
