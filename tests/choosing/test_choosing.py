"""Numbers of clusters compared in Python, as the command does."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import press_in_embedding, press_in_search

from fairspectral import choose_k
from fairspectral.affinity import make_operator
from fairspectral.choosing import trial
from fairspectral.choosing.result import Candidate, ChoiceOfK, suggest
from fairspectral.datasets import make_msbm


def blobs(n=90):
    """Three blobs, with two groups that have nothing to do with them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) + 6 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(n) % 3]
    return X, np.where(np.arange(n) // 3 % 5 < 2, "f", "m")


@pytest.fixture(scope="module")
def found():
    X, groups = blobs(150)
    return choose_k(X, groups, max_clusters=4, n_resamples=3, gamma=0.5, effort="fast")


def test_the_planted_number_is_suggested_and_the_steadiest(found):
    assert [c.k for c in found.candidates] == [2, 3, 4]
    assert found.suggestion == 3
    assert found.best is found.candidates[1]
    assert max(found.candidates, key=lambda c: c.stability).k == 3
    assert found.best.weakest > 0.8
    assert found.words.endswith("; resamples agree most there too.")
    assert [len(one.sizes) for one in found.stability] == [2, 3, 4]


def test_resamples_change_nothing_else(found):
    X, groups = blobs(150)
    plain = choose_k(X, groups, max_clusters=4, gamma=0.5, effort="fast")
    assert plain.stability == ()
    for one, other in zip(plain.rows(), found.rows(), strict=True):
        assert one.pop("stability") is one.pop("weakest") is None
        for name, value in one.items():
            assert other[name] == pytest.approx(value, abs=1e-9), name


def test_a_graph_with_named_groups():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    data = make_msbm(90, 3, 2, random_state=0)
    graph = networkx.from_numpy_array(np.asarray(data.graph))
    networkx.set_node_attributes(graph, dict(enumerate(data.sensitive_features)), "club")
    assert choose_k(graph, "club", max_clusters=4, effort="fast").suggestion == 3


def test_table_frame_text_and_html(found):
    pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    header, *rows = found.table()
    assert header[-2:] == ["stability", "weakest cluster"]
    assert [row[0] for row in rows] == ["2", "3 *", "4"]
    assert found.to_frame()["k"].tolist() == [2, 3, 4]
    assert found.words in str(found)
    html = found._repr_html_()
    assert html.count("<tr>") == 4
    assert "font-weight:bold" in html


def test_the_picture_marks_the_suggestion(found):
    plt = pytest.importorskip(
        "matplotlib.pyplot", reason="matplotlib is not installed: pip install 'fairspectral[plot]'"
    )
    ax = found.plot()
    names = [line.get_label() for line in ax.lines]
    assert names[:3] == ["eigengap", "silhouette", "stability"]
    assert list(ax.lines[3].get_xdata()) == [3, 3]
    plt.close(ax.figure)


def candidate(k, eigengap, silhouette=0.0):
    return Candidate(k, 0.5, eigengap, 0.1, silhouette, 1.0, True)


def test_the_smaller_of_equals():
    assert suggest([candidate(2, 0.1), candidate(3, 0.4), candidate(4, 0.4)]).k == 3


@pytest.mark.parametrize(
    ("silhouettes", "said"), [((0.1, 0.9), "is best at 3."), ((0.9, 0.1), "agrees.")]
)
def test_it_says_whether_the_silhouette_agrees(silhouettes, said):
    candidates = (candidate(2, 0.4, silhouettes[0]), candidate(3, 0.1, silhouettes[1]))
    words = ChoiceOfK(candidates, (), None).words
    assert words == f"Suggestion: 2 clusters, where the eigengap is largest; the silhouette {said}"


def test_wrong_arguments_are_named():
    X, groups = blobs()
    with pytest.raises(ValueError, match="max_clusters=3 is less than min_clusters=5; swap them"):
        choose_k(X, groups, min_clusters=5, max_clusters=3)
    with pytest.raises(ValueError, match="min_clusters=1 must be at least 2"):
        choose_k(X, groups, min_clusters=1)
    with pytest.raises(ValueError, match=r"max_clusters=89 is too many for 90 rows and 1 fairness"):
        choose_k(X, groups, max_clusters=89)
    with pytest.raises(ValueError, match=r"too many for resamples of 80% of 90 rows"):
        choose_k(X, groups, max_clusters=50, n_resamples=2)
    with pytest.raises(ValueError, match="choose_k needs sensitive_features"):
        choose_k(X, None)
    with pytest.raises(TypeError, match=r"no parameter 'gama' \(did you mean 'gamma'\?\)"):
        choose_k(X, groups, gama=1.0)
    with pytest.raises(ValueError, match="effort='slow' is unknown"):
        choose_k(X, groups, effort="slow")
    with pytest.raises(ValueError, match="n_resamples=-1 must be at least 0"):
        choose_k(X, groups, n_resamples=-1)


def test_lists_and_operators_will_do(found):
    X, groups = blobs(150)
    params = {"max_clusters": 3, "effort": "fast"}
    listed = choose_k(X.tolist(), groups.tolist(), gamma=0.5, **params)
    operator = choose_k(None, groups, affinity=make_operator(X, "rbf", gamma=0.5), **params)
    for other in (listed, operator):
        assert other.best.eigengap == pytest.approx(found.best.eigengap, abs=1e-3)


def test_ctrl_c_ends_it_with_the_numbers_that_were_finished(found, monkeypatch):
    X, groups = blobs(150)
    press_in_search(monkeypatch, 3)
    few = choose_k(X, groups, max_clusters=4, n_resamples=3, gamma=0.5, effort="fast")
    assert [c.k for c in few.candidates] == [2, 3]
    assert few.suggestion == 3
    assert not any(c.stopped for c in few.candidates)
    for one, other in zip(few.candidates, found.candidates, strict=False):
        assert one.normalized_cut == other.normalized_cut
    assert few.notes == (
        "Ctrl-C ended it: 4 clusters were not compared.",
        "No resamples were clustered.",
    )


@pytest.mark.filterwarnings("ignore:the affinity graph has")
def test_ctrl_c_gives_up_a_later_embedding(monkeypatch):
    """Four people apart are too few to be one of two clusters, so that four have another one."""
    W = sp.block_diag([np.ones((48, 48)), np.ones((48, 48)), np.ones((4, 4))], format="lil")
    W[0, 50] = W[50, 0] = 1.0
    ended = press_in_embedding(monkeypatch, trial, 2)
    few = choose_k(
        W.tocsr(), np.arange(100) % 2, affinity="precomputed", max_clusters=4, effort="fast"
    )
    assert ended == [1]
    assert [c.k for c in few.candidates] == [2]
    assert few.notes[-1] == "Ctrl-C ended it: 3 and 4 clusters were not compared."


def test_the_first_number_is_kept_and_says_that_it_was_stopped(monkeypatch):
    X, groups = blobs()
    press_in_search(monkeypatch, 1)
    one = choose_k(X, groups, max_clusters=4, gamma=0.5, effort="fast")
    assert [c.stopped for c in one.candidates] == [True]
    assert one.words == "Only 2 clusters were compared, so there is no suggestion."
    assert one.notes == (
        "The search into 2 clusters was stopped early.",
        "Ctrl-C ended it: 3 and 4 clusters were not compared.",
    )
    assert one.best is None
    assert one.suggestion is None
    assert "*" not in str(one)
    assert "bold" not in one._repr_html_()
    pyplot = pytest.importorskip(
        "matplotlib.pyplot", reason="matplotlib is not installed: pip install 'fairspectral[plot]'"
    )
    axes = one.plot()
    assert len(axes.lines) == 2  # eigengap and silhouette, and no line at a suggestion
    pyplot.close(axes.figure)


def test_searches_that_the_time_ended_are_named_together():
    X, groups = blobs()
    params = {"max_clusters": 4, "gamma": 0.5, "time_budget": 1e-6}
    found = choose_k(X, groups, **params)
    assert found.notes == ("The searches into 2, 3 and 4 clusters were stopped early.",)
    assert found.suggestion == 3
