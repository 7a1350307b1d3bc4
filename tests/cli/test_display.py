import json
from datetime import date

import numpy as np

from fairspectral.audit import audit
from fairspectral.cli.display import print_audit, print_json, print_table


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
