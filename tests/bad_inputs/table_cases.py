"""Tables given to the command: what is accepted, and the error messages."""

from __future__ import annotations

import gzip
import importlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bad_input_case import WORKS, N, plain, two_groups
from command_case import CLUSTER, Command, cell, column, csv, line, text


def parquet(**columns: Any) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        table = importlib.import_module("pandas").DataFrame(plain(), columns=["a", "b", "c"])
        table.assign(**{"sex": two_groups(), **columns}).to_parquet(path)

    return write


def npz(**arrays: Any) -> Callable[[Path], None]:
    return lambda path: np.savez(path, **{"a": plain(), "sex": two_groups(), **arrays})


def t(name: str, content: Any, outcome: str = WORKS, *words: str, **options: Any) -> Command:
    """A case about a table."""
    return Command(f"table: {name}", content, (*CLUSTER, *words), outcome, **options)


TABLES = [
    t("plain", csv()),
    t("BOM", b"\xef\xbb\xbf" + csv()),
    t("UTF-16 with BOM", text().encode("utf-16")),
    t("UTF-16 without BOM", text().encode("utf-16-le"),
      "{in} is not a text file (a zero byte in line 1); pass CSV, TSV, Parquet, .npy or .npz, or "
      "the encoding of the text, for example --encoding utf-16-le."),
    t("UTF-16 named", text().encode("utf-16-le"), WORKS, "--encoding", "utf-16-le"),
    t("UTF-32", text().encode("utf-32"),
      "{in} is not a text file (a zero byte in line 1); pass CSV, TSV, Parquet, .npy or .npz, or "
      "the encoding of the text, for example --encoding utf-16-le."),
    t("Latin-1", text(groups=["\xe9", "m"] * 15).encode("latin-1"),
      "{in} is not UTF-8 text (byte 0xe9 in line 2); save it as UTF-8, or pass its encoding, for "
      "example --encoding latin-1."),
    t("Latin-1 named", text(groups=["\xe9", "m"] * 15).encode("latin-1"), WORKS,
      "--encoding", "latin-1"),
    t("an unknown encoding", csv(),
      "encoding 'utf-9' is unknown; pass one such as utf-8, latin-1 or utf-16.", "--encoding",
      "utf-9"),
    t("text of other scripts", text(groups=["женщина", "мужчина"] * 15).encode()),
    t("CRLF", csv(newline="\r\n")),
    t("CR", csv(newline="\r")),
    t("tabs", csv(delimiter="\t"), file="people.tsv"),
    t("tabs in a .csv", csv(delimiter="\t")),
    t("semicolons", csv(delimiter=";")),
    t("decimal commas", csv(rows=[[f"{v:.1f}".replace(".", ",") for v in r] for r in plain()],
                            delimiter=";")),
    t("bars", csv(delimiter="|")),
    t("gzip", gzip.compress(csv()), file="people.csv.gz"),
    t("gzip cut short", gzip.compress(csv())[:-20],
      "{in} could not be read (it ends too early); check the file.", file="people.csv.gz"),
    t("not gzip", csv(), "{in} could not be unpacked with gzip; check the file.",
      file="people.csv.gz"),
    t("no ending", csv(), file="people"),
    t("Excel", b"PK\x03\x04", "{in} is a .xlsx file, which is not read; save it as CSV.",
      file="people.xlsx"),
    t("JSON", b"{}", "{in} is a .json file, which is not read; save it as CSV.",
      file="people.json"),
    t("pickle", b"\x80\x04N.", "{in} is a .pkl file, which is not read; save it as CSV.",
      file="people.pkl"),
    t("empty", b"", "{in} is empty; pass a file with a header line and rows."),
    t("blanks only", b" \n \n", "{in} is empty; pass a file with a header line and rows."),
    t("a header only", b"a,b,sex\n", "{in} has no rows of data; at least 2 are needed."),
    t("one row", b"a,b,sex\n1,2,f\n", "{in} has 1 row of data; at least 2 are needed."),
    t("zero bytes", csv() + b"\x00\x00\n",
      "{in} is not a text file (a zero byte in line 32); pass CSV, TSV, Parquet, .npy or .npz, "
      "or the encoding of the text, for example --encoding utf-16-le."),
    t("binary", bytes(range(256)) * 9,
      "{in} is not UTF-8 text (byte 0x80 in line 2); save it as UTF-8, or pass its encoding, for "
      "example --encoding latin-1."),
    t("no last newline", csv()[:-1]),
    t("blank lines at the end", csv() + b"\n\n"),
    t("a blank line after the header", line(0, "a,b,c,sex\n")),
    t("a line of blanks", line(7, "   "),
      "{in} has 1 field(s) in line 8 but 4 columns; correct that line."),
    t("a short line", line(7, "1,2,3"),
      "{in} has 3 field(s) in line 8 but 4 columns; correct that line."),
    t("a long line", line(7, "1,2,3,f,5"),
      "{in} has 5 fields in line 8 but 4 columns; correct that line, or quote the text that "
      "contains the delimiter."),
    t("a comma at the end of a line", line(7, "1,2,3,f,"),
      "{in} has 5 fields in line 8 but 4 columns; correct that line, or quote the text that "
      "contains the delimiter."),
    t("an open quote", line(7, '1,2,"3,f'),
      "{in} has a quote that is never closed, or a field that is too long, from line 8 on; close "
      "the quote or remove the field."),
    t("a quoted comma", column(['"x, y"', "z"] * 15), same=False),
    t("a quoted newline", column(['"x\ny"', "z"] * 15), same=False),
    t("a huge field", column(["x" * 200_000, *["y", "z"] * 14, "z"]),
      "{in} has a field of 200,000 characters in data row 1, column 'd'; probably a quote was "
      "not closed, or the column should be removed."),
    t("duplicate names", csv(header="a,a,c,sex"),
      "{in} has 2 columns called 'a'; give every column a name of its own or, if its first line "
      "is data, pass --no-header."),
    t("names that differ in blanks", csv(header="a, a,c,sex"),
      "{in} has 2 columns called 'a'; give every column a name of its own or, if its first line "
      "is data, pass --no-header."),
    t("an empty name", csv(header="a,,c,sex")),
    t("two empty names", csv(header=",,c,sex"),
      "{in} has 2 columns called the empty name; give every column a name of its own or, if its "
      "first line is data, pass --no-header."),
    t("names in quotes", csv(header='"a","b","c","sex"')),
    t("names that are numbers", csv(header="1,2,3,sex"), note="although it contains numbers"),
    t("no header", csv().split(b"\n", 1)[1],
      "{in} has no column 'sex' (asked for by --sensitive); its columns are '10', '7', '6', 'f'."),
    Command("table: no header, said", csv().split(b"\n", 1)[1],
            ("cluster", "{in}", "--no-header", "-s", "column 4", "-k", "2", "--affinity", "rbf",
             "-o", "{out}", "--json")),
    t("a formula as a name", csv(header="=cmd|'/c calc'!A1,b,c,sex")),
    t("formulas as cells", column(["=1+1", "@SUM(A1)"] * 15), same=False),
    t("escape codes as groups", csv(groups=["\x1b[31mred", "blue"] * 15)),
    t("markup as groups", csv(groups=["[bold]x[/bold]", "[/]"] * 15)),
    t("missing cells", cell(""), same=False, note="Filled 1 missing value(s) of 'b'"),
    *(t(f"missing as {word}", cell(word), same=False, note="Filled 1 missing value(s) of 'b'")
      for word in ("NA", "NaN", "null", "?", "-", "None", "#N/A")),
    t("a typo", cell("3O"),
      "{in} has '3O' in data row 5 of column 'b', which is not a plain number although the "
      "column looks numeric; write it like 1234.5 or leave it empty, or pass --categorical b if "
      "these are names, or --drop b."),
    t("a currency", cell("$3.50"),
      "{in} has '$3.50' in data row 5 of column 'b', which is not a plain number although the "
      "column looks numeric; write it like 1234.5 or leave it empty, or pass --categorical b if "
      "these are names, or --drop b."),
    t("thousands", cell('"1,234"'),
      "{in} has '1,234' in data row 5 of column 'b', which is not a plain number although the "
      "column looks numeric; write it like 1234.5 or leave it empty, or pass --categorical b if "
      "these are names, or --drop b."),
    t("per cent", cell("12 %"),
      "{in} has '12 %' in data row 5 of column 'b', which is not a plain number although the "
      "column looks numeric; write it like 1234.5 or leave it empty, or pass --categorical b if "
      "these are names, or --drop b."),
    t("thousands of a Swiss", cell("1'234"),
      """{in} has "1'234" in data row 5 of column 'b', which is not a plain number although the """
      "column looks numeric; write it like 1234.5 or leave it empty, or pass --categorical b if "
      "these are names, or --drop b."),
    t("exponents", cell("0.7e1")),
    *(t(f"infinite as {word}", cell(word),
      f"{{in}} has {word!r} in data row 5 of column 'b', which is not a plain number although the "
      "column looks numeric; write it like 1234.5 or leave it empty, or pass --categorical b if "
      "these are names, or --drop b.") for word in ("inf", "1e400")),
    t("a hexadecimal number", cell("0x1F"),
      "{in} has '0x1F' in data row 5 of column 'b', which is not a plain number although the "
      "column looks numeric; write it like 1234.5 or leave it empty, or pass --categorical b if "
      "these are names, or --drop b."),
    t("numbers of other scripts", cell("٣"),
      "{in} has '٣' in data row 5 of column 'b', which is not a plain number although the column "
      "looks numeric; write it like 1234.5 or leave it empty, or pass --categorical b if these "
      "are names, or --drop b."),
    t("blanks around numbers", cell("  7 ")),
    t("dates", column([f"2020-01-{i % 9 + 1:02d}" for i in range(N)]), same=False,
      note="looks like dates"),
    t("booleans", column(["true", "false"] * 15), same=False),
    t("a constant column", column(["7"] * N), note="the same value in every row"),
    t("row numbers", column(map(str, range(N))), note="it counts the rows"),
    t("names of people", column(f"p{i}" for i in range(N)), note="like a name"),
    t("an empty column", column([""] * N), note="no value at all"),
    t("nothing to compare by", csv(rows=[["7"] * 3] * N),
      "{in} has no column to compare the rows by (dropped 'a': it has the same value in every "
      "row; dropped 'b': it has the same value in every row; dropped 'c': it has the same value "
      "in every row); add one that differs between them."),
    t("a huge scale", csv(rows=[[f"{v:.0f}e200" for v in row] for row in plain()])),
    t("a tiny scale", csv(rows=[[f"{v:.0f}e-200" for v in row] for row in plain()])),
    t("one value of 1e300", cell("1e300"), same=False),
    t("a missing group", csv(groups=["", *two_groups()[1:]]),
      "{in} has 1 missing value(s) in the sensitive column 'sex', the first in data row 1; pass "
      "--missing-sensitive category to make them a group of their own, or remove those rows."),
    t("a missing group, as a group", csv(groups=["", "", "", *two_groups()[3:]]), WORKS,
      "--missing-sensitive", "category", same=False),
    t("a group called (missing)", csv(groups=["", "(missing)", *two_groups()[2:]]),
      "{in} has a group called '(missing)' in the sensitive column 'sex', and missing values "
      "too; give that group another name.",
      "--missing-sensitive", "category"),
    t("one group", csv(groups=["f"] * N),
      "the sensitive column 'sex' has the single group 'f'; fairness needs at least two, so name "
      "another column."),
    t("every row a group", csv(groups=[f"g{i}" for i in range(N)]),
      "the sensitive column 'sex' has a different value in every row; name another column, or "
      "put its values into a few groups first."),
    t("every row a number", csv(groups=range(N)),
      "the sensitive column 'sex' has a different value in every row; name another column, or "
      "pass --bin sex=5 to put its numbers into five groups first."),
    t("every row a number, binned", csv(groups=range(N)), WORKS, "--bin", "sex=2", same=False,
      note="Put 'sex' into 2 groups"),
    t("bins of text", csv(),
      "{in} has 'f' in data row 1 of column 'sex', which is not a number, so the column cannot be "
      "binned; correct it, or leave out --bin.", "--bin", "sex=2"),
    t("groups 01 and 1", csv(groups=["01", "1"] * 15)),
    t("groups with blanks around them", csv(groups=["f", " m "] * 15)),
    # binary
    t("Parquet", parquet(), file="people.parquet", needs="pyarrow"),
    t("Parquet of categories",
      lambda path: parquet(sex=importlib.import_module("pandas").Categorical(
          two_groups(), categories=["f", "m", "x"]))(path), file="people.parquet",
      needs="pyarrow"),
    t("Parquet of lists", parquet(sex=[[1]] * N),
      "{in} has a ndarray in data row 1 of column 'sex'; a name must be one text or number.",
      file="people.parquet", needs="pyarrow"),
    t("Parquet of None", parquet(sex=[None] * N),
      "{in} has 30 missing value(s) in the sensitive column 'sex', the first in data row 1; pass "
      "--missing-sensitive category to make them a group of their own, or remove those rows.",
      file="people.parquet", needs="pyarrow"),
    t("Parquet of dates", parquet(d=(np.arange(N) % 7).astype("datetime64[D]")), same=False,
      file="people.parquet", needs="pyarrow"),
    t("Parquet of durations", parquet(d=np.arange(N).astype("timedelta64[s]")), same=False,
      file="people.parquet", needs="pyarrow"),
    t("Parquet of whole numbers with gaps",
      lambda path: parquet(d=importlib.import_module("pandas").array([None, *range(N - 1)],
                                                                     dtype="Int64"))(path),
      same=False, file="people.parquet", needs="pyarrow", note="Filled 1 missing"),
    t("Parquet of bytes", parquet(d=[b"x", b"y"] * 15), same=False, file="people.parquet",
      needs="pyarrow"),
    t("not Parquet", csv(),
      re.compile(r"{in} is not a Parquet file that can be read \(.*\); check the file\."),
      file="people.parquet", needs="pyarrow"),
    t("npz", npz(), file="people.npz"),
    t("npz of objects", npz(a=plain().astype(object)),
      "{in} is not a .npz file of numbers or text (it holds Python objects); save plain arrays.",
      file="people.npz"),
    t("npz of different lengths", npz(a=plain()[1:]),
      "{in} holds arrays of different lengths ('a[2]' has 29 rows, 'sex' has 30); save one row "
      "per sample in each.", file="people.npz"),
    t("npz of three dimensions", npz(a=plain()[:, :, None]),
      "array 'a' of {in} has shape (30, 3, 1); save one row per sample.", file="people.npz"),
    t("npz of complex numbers", npz(a=plain() * 1j),
      "column 'a[0]' has complex numbers, which cannot be compared; save their real and "
      "imaginary parts as two columns.", file="people.npz"),
    t("npz of float16", npz(a=plain().astype(np.float16)), file="people.npz"),
    t("npz with an empty array", npz(b=np.empty((N, 0))), file="people.npz"),
    t("not npz", b"PK",
      "{in} is not a .npz file of numbers or text (numpy cannot read it); save plain arrays.",
      file="people.npz"),
    t("npz without arrays", lambda path: np.savez(path),
      "{in} has no rows of data; at least 2 are needed.", file="people.npz"),
    t("npy of records", lambda path: np.save(path, records()), file="people.npy"),
    t("npy of numbers", lambda path: np.save(path, plain()),
      "{in} has no column 'sex' (asked for by --sensitive); its columns are '0', '1', '2'.",
      file="people.npy"),
    t("npy cut short", lambda path: path.write_bytes(npy_bytes()[:-50]),
      "{in} is not a .npy file of numbers or text (numpy cannot read it); save plain arrays.",
      file="people.npy"),
    t("npy of a number", lambda path: np.save(path, 3.0),
      "{in} has shape (); save one row per sample.", file="people.npy"),
    t("npy that claims too much",
      lambda path: path.write_bytes(too_much()),
      "{in} claims an array of shape (900000000,), but has only 1,032 bytes; it is damaged, so "
      "save it again.",
      file="people.npy"),
]  # fmt: skip


def records() -> np.ndarray:
    kinds = [("a", float), ("b", float), ("c", float), ("sex", "U1")]
    rows = zip(*plain().T, two_groups(), strict=True)
    return np.array(list(rows), dtype=kinds)


def npy_bytes() -> bytes:
    file = io.BytesIO()
    np.save(file, records())
    return file.getvalue()


def too_much() -> bytes:
    """A header of the same length that claims nine hundred million records."""
    return npy_bytes().replace(b"(30,), }" + b" " * 7, b"(900000000,), }")
