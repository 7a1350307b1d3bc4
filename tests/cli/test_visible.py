import json

import pytest

from fairspectral.cli.visible import visible

NASTY = "m\x1b[31m\x07\x9b2J\u202e\r\n"


def test_invisible_characters_are_escaped():
    assert visible("Zoë 群 ─ × 5 %") == "Zoë 群 ─ × 5 %"
    assert visible(NASTY) == "m\\x1b[31m\\x07\\x9b2J\\u202e\\r\\n"
    assert visible("bad\udcff.csv") == "bad\\udcff.csv"


def harmless(text):
    return all(sign.isprintable() or sign == "\n" for sign in text)


@pytest.mark.parametrize("words", [(), ("--json",), ("--require-tolerance", "0.2")])
def test_no_escape_code_in_a_name_reaches_the_terminal(call, tmp_path, words):
    path = tmp_path / "names\x1b[2J.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write('cluster,"s\x1b[1mex"\n')
        file.write(f'a,"{NASTY}"\nb\x1b[0m,f\n' * 20)
    done = call("audit", path, "-s", "s\x1b[1mex", *words)
    assert done.status == (1 if "--require-tolerance" in words else 0), done.err
    assert harmless(done.out + done.err)
    if words == ("--json",):
        result = json.loads(done.out)
        assert result["attributes"][0]["groups"] == ["f", NASTY.strip()]
        assert result["clusters"][1]["label"] == "b\x1b[0m"


def test_nor_does_one_in_an_error_or_a_note(call, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\x1b[1m,sex\n" + "1,7,f\n2,7,m\n" * 5)
    for words in (("-s", "\x1b[2J"), ("-s", "sex"), ("-s", "sex", "\x1b[31m")):
        done = call("cluster", path, "-k", "2", *words)
        assert done.err
        assert harmless(done.out + done.err)
