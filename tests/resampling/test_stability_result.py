"""What is said of the stability of clusters, in words, numbers and pictures."""

import numpy as np
import pytest

from fairspectral.resampling.agreement import Agreement
from fairspectral.resampling.result import Stability


def made(overlap, *, chance=0.2, seeds=(), asked=None, sizes=None):
    """A result with the given overlap of each resample (rows) and cluster (columns)."""
    overlap = np.atleast_2d(np.array(overlap, dtype=float))
    k = overlap.shape[1]

    def agreements(rows):
        return [Agreement(row, np.full(k, chance), 0.5) for row in np.array(rows, dtype=float)]

    labels = np.repeat(np.arange(k), sizes if sizes is not None else 10)
    return Stability.of(
        labels, agreements(overlap), agreements(seeds), fraction=0.8, effort="fast", asked=asked
    )


def test_each_resample_counts_once_for_each_cluster():
    found = made([[0.9, 0.6, 0.5], [0.75, 0.74, 0.1], [1.0, np.nan, 0.51]])
    first, second, third = found.clusters
    assert first.counts == {"comes back": 3, "changed": 0, "dissolves": 0}
    assert second.counts == {"comes back": 0, "changed": 2, "dissolves": 0}
    assert third.counts == {"comes back": 0, "changed": 1, "dissolves": 2}
    assert second.overlap == pytest.approx(0.67)
    assert [c.verdict for c in found.clusters] == ["stable", "blurred", "unstable"]


def test_the_sentences_say_it():
    rows = [[0.9, 0.9, 0.3]] * 5 + [[0.8, 0.6, 0.8]] * 4 + [[0.6, 0.9, 0.8]]
    found = made(rows)
    assert found.sentences == (
        "Cluster 0 comes back in 9 of 10 resamples and comes back changed in 1.",
        "Cluster 1 comes back in 6 of 10 resamples and comes back changed in 4.",
        "Cluster 2 comes back in 5 of 10 resamples and dissolves in 5.",
    )
    assert found.words == (
        "Clusters 0 and 1 come back in at least 6 of 10 resamples; cluster 2 comes back in 5 of "
        "10 resamples and dissolves in 5."
    )


def test_several_clusters_of_one_kind_are_said_together():
    assert made([[0.9, 0.95]] * 3).words == "All clusters come back in all 3 resamples."
    assert (
        "dissolve in at least 2 of 3 resamples"
        in made([[0.9, 0.4, 0.3]] * 2 + [[0.9, 0.6, 0.2]]).words
    )
    assert "All clusters come back with other borders" in made([[0.6, 0.7]]).words


def test_a_cluster_of_nearly_everybody_is_not_called_stable():
    found = made([[0.93]] * 4, chance=0.9)
    assert found.clusters[0].verdict == "blurred"
    assert "so large that chance gives an overlap of 90%" in found.sentences[0]


def test_other_seeds_tell_the_search_from_the_people():
    assert "other seeds find the same clusters" in made([[0.9, 0.9]], seeds=[[1.0, 1.0]]).words
    nearly = made([[0.9, 0.9]], seeds=[[0.9, 0.8]]).words
    assert "much the same clusters, with an overlap of at least 80%" in nearly
    words = made([[0.9, 0.4]], seeds=[[0.9, 0.5]]).words
    assert "other seeds do not find cluster 1 again: there are several clusterings" in words
    assert "seed" not in made([[0.9, 0.9]]).words


def test_an_early_end_is_said():
    assert "stopped after 1 of 10 resamples and 0 of 3 seeds" in made([[0.9]], asked=(10, 3)).words


def test_rows_table_frame_and_json_agree():
    pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    found = made([[0.9, 0.4], [0.7, np.nan]], seeds=[[0.9, 0.9]])
    header, *body = found.table()
    assert header[-2:] == ["other seeds", "verdict"]
    assert [row[0] for row in body] == ["0", "1"]
    assert body[0][2] == "80%"
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["back"].tolist() == [1, 0]
    summary = found.summary()
    assert summary["clusters"] == found.rows()
    assert summary["resamples"] == 2
    assert not summary["stopped"]
    assert found.words in str(found)
    assert str(found) == repr(found)


def test_a_notebook_shows_a_table_with_the_words():
    text = made([[0.9, 0.4]])._repr_html_()
    assert text.count("<tr>") == 3
    assert "dissolves in 1 of 1 resample" in text


def test_the_picture_has_a_bar_for_each_cluster():
    plt = pytest.importorskip(
        "matplotlib.pyplot", reason="matplotlib is not installed: pip install 'fairspectral[plot]'"
    )
    ax = made([[0.9, 0.4], [0.6, 0.4]]).plot()
    back, changed, dissolved = ax.containers
    assert [bar.get_width() for bar in back] == [1, 0]
    assert [bar.get_width() for bar in changed] == [1, 0]
    assert [bar.get_width() for bar in dissolved] == [0, 2]
    assert ax.get_yticklabels()[0].get_text() == "0  (n=10)"
    plt.close(ax.figure)
