"""Planted differences are put into words, chance is not, and every view shows names as text."""

import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fairspectral import FairSpectralClustering, describe

HOSTILE = "<script>alert(1)</script>"


def people(rng, n=300):
    """Three clusters: the first is older, the second mostly retired, the third like everyone."""
    labels = np.repeat([0, 1, 2], n // 3)
    table = pd.DataFrame(
        {
            "age": np.round(rng.normal(40, 10, n) + 25 * (labels == 0)),
            "work": np.where(rng.random(n) < 0.1 + 0.7 * (labels == 1), "retired", "employed"),
            "height": rng.normal(170, 8, n),
            "city": rng.choice(["Rome", "Oslo", "Bonn"], n),
        },
        index=[f"p{i}" for i in range(n)],
    )
    return table, pd.Series(labels, index=table.index)


def told(description):
    return [[d.column for d in cluster.differences] for cluster in description.clusters]


class Reader(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


# --- what is said -----------------------------------------------------------------------


def test_planted_differences_are_found_with_their_numbers(rng):
    table, labels = people(rng)
    found = describe(table, labels)
    first, second, _ = found.clusters
    older = first.differences[0]
    assert older.what == "age much higher"
    inside = (labels == 0).to_numpy()
    assert older.here == np.median(table["age"][inside])
    assert older.elsewhere == np.median(table["age"][~inside])
    (retired, *_) = second.differences
    assert retired.what == "work “retired” more often"
    share = (table["work"] == "retired").to_numpy()
    ours, others = share[labels == 1].mean(), share[labels != 1].mean()
    assert retired.effect == pytest.approx(ours - others, abs=1e-12)
    assert retired.ratio == pytest.approx(ours / others, abs=1e-9)
    assert f"({ours:.0%} against {others:.0%})" in second.sentence
    assert first.sentence.startswith(
        f"Cluster 0 (100 members, 33%): age much higher (median {older.here:g} against "
        f"{older.elsewhere:g}, effect {older.effect:+.2f})"
    )
    assert {d.column for c in found.clusters for d in c.differences} == {"age", "work"}


def test_random_clusters_are_rarely_told_apart():
    """At most about 5% of the tables get any claim, with ties, tiny clusters and rare values."""
    rng = np.random.default_rng(0)
    claims, tables = 0, 150
    for _ in range(tables):
        n = 120
        table = pd.DataFrame(
            {
                "normal": rng.normal(size=n),
                "zeros": np.where(rng.random(n) < 0.9, 0, rng.exponential(size=n)),
                "counts": rng.poisson(0.5, n),
                "rare": np.where(rng.random(n) < 0.03, "yes", "no"),
                "kind": rng.choice(list("abcdef"), n),
                "gaps": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            }
        )
        labels = rng.permutation(np.repeat([0, 1, 2, 3], [3, 10, 40, 67]))
        found = describe(table, labels, least_effect=0.001)
        claims += any(cluster.differences for cluster in found.clusters)
    assert claims <= 0.05 * tables + 2 * np.sqrt(0.05 * tables)  # two standard deviations


def test_a_cluster_like_everyone_says_so(rng):
    table, labels = people(rng)
    sentence = describe(table[["height"]], labels).sentences[2]
    assert sentence.startswith(
        "Cluster 2 (100 members, 33%): differs from everyone else in no column by an effect of "
        "0.2; the largest effect is "
    )
    assert sentence.endswith(", in height.")


def test_nothing_is_claimed_for_tiny_clusters(rng):
    labels = np.repeat([0, 1, 2], [1, 2, 97])
    table = pd.DataFrame({"x": np.r_[[90, 80, 95], rng.random(97)], "y": rng.random(100)})
    found = describe(table, labels)
    assert told(found)[:2] == [[], []]
    assert "chance may explain every effect of 0.2 or more in so few members" in found.sentences[0]
    assert found.sentences[0].startswith("Cluster 0 (1 member, 1%): ")


def test_a_single_cluster_has_nobody_to_differ_from(rng):
    found = describe(rng.random((10, 2)), np.zeros(10))
    assert found.sentences == (
        "Cluster 0.0 (10 members, 100%): everyone is in it, so there is nobody to compare it with.",
    )


def test_an_outlier_does_not_hide_a_difference(rng):
    table, labels = people(rng)
    table.iloc[250, 0] = 1e12  # someone else's age
    assert told(describe(table, labels))[0][0] == "age"


def test_at_most_so_many_columns_with_the_largest_first(rng):
    labels = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 6)) + np.outer(labels, [1, 6, 2, 5, 3, 4])
    found = describe(X, labels, most=3)
    assert told(found)[0] == ["column 1", "column 3", "column 5"]
    assert told(describe(X, labels, columns=["column 0", "column 2"]))[0] == [
        "column 2",
        "column 0",
    ]


def test_equal_medians_are_told_by_shares():
    labels = np.repeat([0, 1], 100)
    gain = np.r_[np.repeat([0, 500, 700], [60, 20, 20]), np.repeat([0, 600], [95, 5])]
    (first, second) = describe(gain[:, None], labels, feature_names=["gain"]).sentences
    assert "gain higher (share above 0: 40% against 5%, effect +0.3" in first
    assert "gain lower (share above 0: 5% against 40%, effect -0.3" in second


def test_missing_values_are_left_out_and_told_where_they_differ(rng):
    labels = np.repeat([0, 1], 100)
    age = rng.normal(40, 5, 200) + 10 * labels
    age[rng.choice(100, 50, replace=False)] = np.nan
    found = describe(pd.DataFrame({"age": age, "x": rng.random(200)}), labels)
    assert "age: no value" in found.names
    (age_told,) = found.clusters[0].differences  # one for each column: the larger effect
    assert age_told.what == "age much lower"
    assert age_told.here == np.median(age[:100][~np.isnan(age[:100])])
    same = describe(pd.DataFrame({"age": np.where(np.isnan(age), np.nan, 1.0)}), labels)
    assert same.clusters[0].differences[0].what == "age missing more often"
    assert same.clusters[0].differences[0].values == ("50%", "0%")


def test_yes_or_no_zeros_and_ones_and_two_names(rng):
    labels = np.repeat([0, 1], 50)
    much = rng.random(100) < 0.1 + 0.8 * labels
    table = pd.DataFrame(
        {"retired": much, "flag": much.astype(int), "word": np.where(much, "yes", "no")}
    )
    words = [d.what for d in describe(table, labels).clusters[0].differences]
    assert words == ["retired less often", "flag “1” less often", "word “no” more often"]


def test_dates_are_shown_as_dates():
    labels = np.repeat([0, 1], 40)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(80) * 10, unit="D")
    table = pd.DataFrame({"joined": days, "wait": pd.to_timedelta(np.arange(80) % 77, unit="D")})
    found = describe(table, labels)
    assert "joined much lower (median 2020-07-14 against 2021-08-18" in found.sentences[0]
    assert "wait much higher" in found.sentences[1]
    assert "days against " in found.sentences[1]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((2019.0, 1987.0), "median 2019 against 1987"),
        ((51234.6, 23000.0), "median 51,235 against 23,000"),
        ((0.03812, 0.03809), "median 0.03812 against 0.03809"),
        ((1e20, -1e20), "median 1e+20 against -1e+20"),
    ],
)
def test_numbers_are_shown_with_the_digits_they_need(values, shown):
    X = np.r_[np.full(30, values[0]), np.full(30, values[1])]
    X[[0, -1]] = X[[-1, 0]] = X[[1, -2]] * 2  # a third value, so that these are numbers
    sentence = describe(X[:, None], np.repeat(["a", "b"], 30)).sentences[0]
    assert shown in sentence


# --- groups, typical members, graphs ----------------------------------------------------


def test_sensitive_attributes_are_told_only_where_they_differ(rng):
    table, labels = people(rng)
    fair = pd.Series(np.tile(["f", "m"], 150), index=table.index, name="sex")
    found = describe(table, labels, sensitive_features=fair)
    assert {d.column for c in found.clusters for d in c.differences} == {"age", "work"}
    assert found.audit.attributes[0].shares.tolist() == [[0.5, 0.5]] * 3
    apart = pd.Series(np.where(labels == 0, "f", fair), index=table.index, name="sex")
    table["sex"] = apart
    found = describe(table, labels, sensitive_features=apart, most=1)
    assert told(found)[0] == ["age", "sex"]
    assert found.sentences[0].endswith("sex “f” more often (100% against 50%, sensitive).")
    assert "sex" not in found.columns


def test_typical_members_are_most_usual_or_nearest_in_the_embedding(rng):
    labels = np.repeat([0, 1], 5)
    rows = np.array([0, 1, 2, 3, 4, 10, 11, 12, 13, 14.0])[:, None]
    found = describe(None, labels, embedding=rows)
    assert [set(c.typical) for c in found.clusters] == [{1, 2, 3}, {6, 7, 8}]
    assert [c.typical[0] for c in found.clusters] == [2, 7]
    table = pd.DataFrame({"x": rows[:, 0], "c": list("aabaa") * 2}, index=list("qrstuvwxyz"))
    table.loc["v", "x"] = np.nan
    usual = describe(table, labels)
    assert usual.clusters[0].typical[0] in ("r", "t")  # s is in the middle, but alone with b
    assert "v" not in usual.clusters[1].typical
    # One rule with a table, wherever the labels come from.
    again = describe(table, labels, embedding=rng.random((10, 1)))
    assert [c.typical for c in again.clusters] == [c.typical for c in usual.clusters]
    named = describe(None, labels, embedding=rows, row_names=list("ABCDEFGHIJ"))
    assert named.clusters[0].typical[0] == "C"


def test_a_graph_is_described_by_its_connections():
    ring = np.roll(np.eye(40), 1, axis=1)
    full = np.zeros((80, 80))
    full[:40, :40] = ring + ring.T
    full[40:, 40:] = 1 - np.eye(40)
    full[0, 40] = full[40, 0] = 1
    full[50:52, 40:] = full[40:, 50:52] = 0
    full[50, 51] = full[51, 50] = 1  # not everyone has 39
    labels = np.repeat([0, 1], 40)
    found = describe(None, labels, affinity=sp.csr_array(full))
    first, second = found.clusters
    assert first.inside == pytest.approx(80 / 81, abs=1e-9)
    assert found.columns == ("number of connections",)
    assert first.sentence.startswith(
        "Cluster 0 (40 members, 50%): 99% of its connections stay inside; number of connections "
        "much lower (median 2 against 37"
    )
    assert second.inside > 0.99
    with pytest.raises(ValueError, match="like the weights of a graph; pass it as affinity"):
        describe(sp.csr_array(full), labels)
    assert "of the connections of cluster 0 stay inside" in str(found)


# --- a fitted model ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1], 40)
    table = pd.DataFrame({"x": rng.normal(size=80) + 8 * labels, "y": rng.normal(size=80)})
    model = FairSpectralClustering(2, random_state=0)
    return model.fit(table, sensitive_features=["a", "b"] * 40), table


def test_a_model_is_described_by_the_table_that_is_passed(fitted):
    model, table = fitted
    found = model.describe(table)
    assert {d.column for c in found.clusters for d in c.differences} == {"x"}
    assert found.audit is model.audit_
    # An array gets the names that the model was fitted with.
    assert model.describe(table.to_numpy()).sentences == found.sentences
    assert model.describe(table.to_numpy(), feature_names=["u", "v"]).columns == ("u", "v")
    usual = describe(table, model.labels_).clusters
    assert [c.typical for c in found.clusters] == [c.typical for c in usual]


def test_a_model_without_a_table_says_that_columns_are_unknown(fitted):
    model, _ = fitted
    found = model.describe()
    assert found.sentences[0] == (
        "Cluster 0 (40 members, 50%): no columns are known to describe it by."
    )
    assert found.notes[0].startswith("No table was given")
    assert len(found.clusters[0].typical) == 3
    with pytest.raises(ValueError, match="not fitted"):
        FairSpectralClustering().describe()


def test_the_nodes_of_a_graph_keep_their_names(tmp_path):
    networkx = pytest.importorskip("networkx", reason="pip install networkx")
    club = networkx.relabel_nodes(networkx.karate_club_graph(), lambda node: f"member {node}")
    model = FairSpectralClustering(2, random_state=0).fit(club, sensitive_features="club")
    found = model.describe()
    cluster_of = dict(zip(club, model.labels_, strict=True))
    assert all(cluster_of[name] == c.label for c in found.clusters for name in c.typical)
    assert model.describe(row_names=range(34)).clusters[0].typical != found.clusters[0].typical
    told = describe(None, model.labels_, affinity=club, sensitive_features="club")
    assert told.audit.attributes[0].name == "club"
    assert all(cluster_of[name] == c.label for c in told.clusters for name in c.typical)
    pytest.importorskip("jinja2", reason="pip install 'fairspectral[report]'")
    page = model.report(tmp_path / "club.html", plain=False, frontier=False, stability=False)
    assert f"Typical: {', '.join(found.clusters[0].typical)}." in page.read_text("utf-8")
    # A model that is fitted again on something else has no nodes.
    model.set_params(affinity="precomputed").fit(networkx.to_numpy_array(club))
    assert all(isinstance(name, int) for c in model.describe().clusters for name in c.typical)


def test_a_model_of_a_graph_refuses_its_affinities_and_names_nobody_set_aside():
    blocks = sp.block_diag([np.ones((30, 30)), np.ones((30, 30)), np.ones((2, 2))]).tolil()
    blocks[0, 30] = blocks[30, 0] = 1
    blocks = blocks.tocsr()
    model = FairSpectralClustering(2, affinity="precomputed", random_state=0)
    model.fit(blocks, sensitive_features=["a", "b"] * 31)
    assert set(model.set_aside_.indices) == {60, 61}
    found = model.describe()
    assert {60, 61}.isdisjoint(sum((c.typical for c in found.clusters), ()))
    assert min(c.inside for c in found.clusters) > 0.99
    for affinities in (blocks, blocks.toarray()):
        with pytest.raises(ValueError, match="call describe\\(\\) without X"):
            model.describe(affinities)
    nodes = pd.DataFrame({"age": np.r_[np.arange(30) + 50, np.arange(30), 7, 8] ** 2})
    assert "age much" in model.describe(nodes).sentences[0]


# --- the views --------------------------------------------------------------------------


def test_the_whole_text():
    table = pd.DataFrame({"age": [*range(20, 30), *range(60, 70)], "id": range(20)})
    found = describe(table, np.repeat(["old", "young"][::-1], 10))
    assert str(found) == repr(found)
    assert str(found).splitlines() == [
        "cluster  size  share  differs in       here  elsewhere  effect",
        "-------  ----  -----  ---------------  ----  ---------  ------",
        "    old    10    50%  age much higher  64.5       24.5   +1.00",
        "  young    10    50%  age much lower   24.5       64.5   -1.00",
        "",
        "Typical of cluster old: 14, 15, 13.",
        "Typical of cluster young: 4, 5, 3.",
        "Left out 'id': it has the numbers of the rows.",
    ]


def test_frame_rows_and_json(rng):
    table, labels = people(rng)
    found = describe(table, labels)
    frame = found.to_frame()
    assert frame["cluster"].nunique() == 3
    assert frame.loc[frame["cluster"] == 0, "column"].tolist() == ["age", "work"]
    assert len(found.rows()) == len(frame)
    summary = json.loads(json.dumps(found.summary()))
    assert summary["clusters"][0]["sentence"] == found.sentences[0]
    assert summary["clusters"][0]["differences"][0]["column"] == "age"
    assert list(describe(None, [0, 1]).to_frame()["column"]) == [None, None]


def test_a_notebook_shows_names_as_text(rng):
    table, labels = people(rng)
    table = table.rename(columns={"age": HOSTILE})
    table.index = [f"<b>{i}</b>" for i in range(len(table))]
    groups = np.tile(["<i>f</i>", "m"], 150)
    page = Reader(describe(table, labels.to_numpy(), sensitive_features=groups)._repr_html_())
    assert {"script", "b"}.isdisjoint(page.tags)
    assert f"{HOSTILE} much higher" in page.text
    assert "<i>f</i>" in page.text
    assert "<b>" in page.text
    assert page.tags.count("table") == 2


def test_the_heat_map_has_every_column_and_cluster(rng):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="pip install matplotlib")
    table, labels = people(rng)
    found = describe(table.rename(columns={"age": "_a$\\no$"}), labels)
    ax = found.plot()
    np.testing.assert_allclose(ax.images[0].get_array(), found.effects, rtol=0, atol=1e-12)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0", "1", "2"]
    assert len(ax.texts) == found.beyond_chance.sum() > 0
    ax.figure.draw_without_rendering()  # a formula that is none would fail here
    pyplot.close("all")
    wide = describe(rng.random((60, 30)), np.arange(60) % 3)
    assert len(wide.plot().get_yticklabels()) == 20
    pyplot.close("all")
    with pytest.raises(ValueError, match="no columns, so there is nothing to draw"):
        describe(None, [0, 1]).plot()


@pytest.mark.parametrize(
    ("X", "options", "said"),
    [
        (np.ones((3, 2)), {}, "X has 3 rows but there are 4 labels"),
        ([[1], [2]], {}, "X has 2 rows but there are 4 labels"),
        (None, {"row_names": ["a"]}, "row_names has 1 names but there are 4 labels"),
        (None, {"embedding": np.ones((3, 2))}, r"embedding has shape \(3, 2\) but there are 4"),
        (None, {"affinity": np.ones((3, 3))}, "the affinity has 3 nodes but there are 4 labels"),
        (None, {"least_effect": 0}, "least_effect=0 must be above 0"),
        (None, {"most": 0}, "most=0"),
        (None, {"sensitive_features": ["a"]}, "has 1 values but the data has 4 samples"),
        (pd.DataFrame({"x": range(4)}, index=list("abcd")), {}, "row labels different from"),
    ],
)
def test_what_does_not_fit_is_refused(X, options, said):
    with pytest.raises(ValueError, match=said):
        describe(X, pd.Series([0, 0, 1, 1]), **options)
