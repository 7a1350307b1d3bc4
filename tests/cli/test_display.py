import json
from datetime import date

import numpy as np

from fairspectral.auditing import audit
from fairspectral.cli.display import fitting, print_audit, print_json, print_table


def test_json_of_whatever_comes(capsys):
    print_json({"a": np.float32(0.5), "b": np.arange(2), "c": float("nan"), "d": date(2020, 1, 2)})
    shown = json.loads(capsys.readouterr().out)
    assert shown == {"a": 0.5, "b": [0, 1], "c": None, "d": "2020-01-02"}


def test_data_are_never_markup(capsys):
    print_table(["[red]name[/red]"], [["[bold]x[/bold]"], ["[/]"]])
    shown = capsys.readouterr().out
    assert "[red]name[/red]" in shown
    assert "[bold]x[/bold]" in shown
    assert "[/]" in shown


def test_many_groups_are_shown_from_top_to_bottom(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    found = audit([0, 1] * 40, np.repeat([f"a long name {j}" for j in range(8)], 10))
    print_audit(found)
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["cluster", "0", "1", "everyone"] for line in lines)
    assert sum("a long name" in line for line in lines) == 8


def test_few_groups_are_shown_across(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    print_audit(audit([0, 1, 0, 1], ["f", "f", "m", "m"]))
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["cluster", "size", "f", "m", "balance"] for line in lines)


def test_cells_are_never_wrapped_off_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    print_table(["name", "a long name of a column", "x" * 90], [["word " * 8, "1", "2"]])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert len(lines) == 3
    assert ("word " * 8).strip() in lines[2]


def test_columns_that_do_not_fit_a_terminal_go_below(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    header = ["cluster", *(f"group {j}" for j in range(8))]
    print_table(header, [["everyone", *(f"{j}.0%" for j in range(8))]])
    lines = [line for line in capsys.readouterr().out.splitlines() if "everyone" in line]
    assert len(lines) == 4
    assert [cell for line in lines for cell in line.split() if "%" in cell] == [
        f"{j}.0%" for j in range(8)
    ]


def test_parts_that_fit():
    assert fitting([10, 5, 5, 5], 21) == [[0, 1, 2], [0, 3]]
    assert fitting([10, 5, 5, 5], 26) == [[0, 1, 2, 3]]
    assert fitting([10, 90, 5], 20) == [[0, 1], [0, 2]]  # no cell is wrapped, however wide
    assert fitting([10], 5) == [[0]]
