import pytest

from fairspectral.cli.wording import in_options


@pytest.mark.parametrize(
    ("parameters", "said", "becomes"),
    [
        (["clusters"], "n_clusters=9 is large; choose n_clusters of 8.",
         "--clusters 9 is large; choose --clusters of 8."),
        (["max_clusters"], "n_clusters of at most 39", "--max-clusters of at most 39"),
        (["tolerances"], "fairness_tol=-1", "--tolerances -1"),
        (["affinity"], "the affinity is bad; use affinity='rbf'.",
         "the affinity is bad; use --affinity 'rbf'."),
        (["solver"], "--solver='x' is unknown", "--solver 'x' is unknown"),
        ([], "fairness_tol=-1", "fairness_tol=-1"),
    ],
)  # fmt: skip
def test_arguments_become_the_options_of_the_command(parameters, said, becomes):
    assert in_options(said, parameters) == becomes
