from fairspectral_benchmarks.paper.items import ITEMS


def test_the_list(call):
    for words in (["reproduce"], ["reproduce", "list"]):
        done = call(*words, env={"COLUMNS": "120"})
        assert done.status == 0, done.err
        for name, title in ITEMS.items():
            assert name in done.out
            assert title in done.out


def test_help_lists_every_item(call):
    page = call("reproduce", "--help", env={"COLUMNS": "120", "TERM": "dumb"}).out
    for name, title in ITEMS.items():
        assert f"{name}: {title}" in page


def test_a_table_is_written_and_resumed(call, tmp_path):
    words = ["reproduce", "elliptical", "--scale", "tiny", "-o", tmp_path, "--only", "/ours/"]
    done = call(*words)
    assert done.status == 0, done.err
    for kind in ("json", "md", "png", "svg"):
        assert (tmp_path / f"elliptical.{kind}").is_file()
    assert done.err.startswith("Wrote ")
    cell = next((tmp_path / "cells").iterdir())
    before = cell.stat().st_mtime_ns
    assert call(*words).status == 0
    assert cell.stat().st_mtime_ns == before


def test_cells_without_a_number_are_counted(call, tmp_path):
    done = call(
        "reproduce", "elliptical", "--scale", "tiny", "-o", tmp_path, "--only", "/s-fsc/",
        "--limit", "0.00001", "--no-figures",
    )  # fmt: skip
    assert done.status == 0, done.err
    assert "Note: 1 cells have no number" in done.err
    assert "over 1e-05 s" in (tmp_path / "elliptical.md").read_text()


def test_an_unknown_table(call, tmp_path):
    done = call("reproduce", "tabel1", "-o", tmp_path)
    assert done.status == 2
    assert "did you mean 'table1'" in done.err


def test_missing_data_are_one_sentence(call, tmp_path):
    nowhere = tmp_path / "nowhere"
    done = call("reproduce", "facebook", "-o", tmp_path, env={"FAIRSPECTRAL_DATA": str(nowhere)})
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert "is not a folder" in done.err
