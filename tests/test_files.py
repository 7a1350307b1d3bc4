import os
import stat

import pytest

from fairspectral.files import (
    discard_unfinished,
    finished_files,
    forget_finished,
    replacing,
    write_text,
)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_all_or_nothing(tmp_path, failure):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def fail():
        with replacing(path) as attempt:
            attempt.write_text("half")
            assert path.read_text() == "old"
            raise failure

    with pytest.raises(failure):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_text_is_utf8_whatever_the_locale_and_replaces_what_was_there(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("a longer text that was there before")
    write_text(path, "é — ✓\n")
    assert path.read_bytes() == "é — ✓\n".encode()
    assert os.listdir(tmp_path) == ["page.html"]


def test_an_abrupt_end_can_clean_up(tmp_path):
    with replacing(tmp_path / "out.csv") as attempt:
        attempt.write_text("half")
        discard_unfinished()
        assert os.listdir(tmp_path) == []
        attempt.write_text("whole")
    assert (tmp_path / "out.csv").read_text() == "whole"


@pytest.mark.parametrize("before", [0o640, 0o600, 0o664])
def test_permissions_are_kept(tmp_path, before):
    path = tmp_path / "out.csv"
    path.write_text("old")
    path.chmod(before)
    with replacing(path) as attempt:
        assert mode(attempt) == before  # others may not look in the meantime either
        attempt.write_text("new")
    assert path.read_text() == "new"
    assert mode(path) == before


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_text("")
    with replacing(tmp_path / "out.csv") as attempt:
        attempt.write_text("new")
    assert mode(tmp_path / "out.csv") == mode(tmp_path / "usual")


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link(tmp_path, exists):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "real.csv", tmp_path / "link.csv"
    if exists:
        target.write_text("old")
        target.chmod(0o640)
    link.symlink_to(target)
    with replacing(link) as attempt:
        attempt.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert not exists or mode(target) == 0o640
    assert os.listdir(tmp_path / "far") == ["real.csv"]


def test_an_unwritable_file_is_named(tmp_path):
    def fill():
        with replacing(tmp_path / "out.csv"):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match=r"No space left on device: .*out\.csv'") as failed:
        fill()
    assert failed.value.filename == str(tmp_path / "out.csv")
    assert os.listdir(tmp_path) == []


def test_what_was_written_whole_is_remembered(tmp_path):
    forget_finished()
    kept, removed = tmp_path / "kept", tmp_path / "removed"
    for path in (kept, removed, kept):
        write_text(path, "whole")
    with pytest.raises(ValueError, match="half"), replacing(tmp_path / "half"):
        raise ValueError("half")
    removed.unlink()
    assert finished_files() == [kept]
    forget_finished()
    assert finished_files() == []
