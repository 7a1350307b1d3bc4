import numpy as np
import pytest

from fairspectral.report.plane import frame, project_on_plane


def test_the_plane_shows_where_centres_differ_not_where_noise_is_large():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 100)
    rows = np.zeros((300, 4))
    rows[:, 1] = np.array([0, 1, 0])[labels]
    rows[:, 2] = np.array([0, 0, 2])[labels]
    rows[:, 3] = np.tile(rng.normal(scale=50, size=100), 3)  # the same in every cluster
    plane = project_on_plane(rows, labels)
    centres = [plane.coordinates[labels == c].mean(axis=0) for c in range(3)]
    assert np.linalg.norm(centres[0] - centres[1]) == pytest.approx(1, abs=1e-6)
    assert np.linalg.norm(centres[0] - centres[2]) == pytest.approx(2, abs=1e-6)
    assert np.ptp(plane.coordinates[labels == 0], axis=0).max() < 1e-6
    assert "cluster centres differ most" in plane.words
    assert "100%" in plane.words


def test_with_two_clusters_the_second_direction_is_within_clusters():
    labels = np.repeat([0, 1], 50)
    rows = np.zeros((100, 3))
    rows[:, 0] = labels
    rows[:, 2] = np.tile(np.linspace(-5, 5, 50), 2)
    plane = project_on_plane(rows, labels)
    assert np.ptp(plane.coordinates[:, 0]) == pytest.approx(1, abs=1e-6)
    assert np.ptp(plane.coordinates[:, 1]) == pytest.approx(10, abs=1e-6)
    assert "within clusters" in plane.words


def test_one_cluster_gives_principal_components():
    rows = np.random.default_rng(0).normal(size=(40, 3)) * [1, 9, 3]
    plane = project_on_plane(rows, np.zeros(40, dtype=int))
    assert plane.coordinates[:, 0].std() > plane.coordinates[:, 1].std() > 2
    assert "samples differ most" in plane.words


def test_a_single_dimension_is_drawn_on_a_line():
    plane = project_on_plane(np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1]))
    assert np.ptp(plane.coordinates[:, 0]) == pytest.approx(5, abs=1e-6)
    assert not plane.coordinates[:, 1].any()
    assert "one dimension" in plane.words


def test_an_outlier_does_not_widen_the_frame():
    coordinates = np.random.default_rng(0).random((1000, 2))
    coordinates[0] = [1e6, 0.5]
    corner, extent = frame(coordinates)
    assert extent[0] < 3
    assert (coordinates[1:] > corner).all()
    assert (coordinates[1:] < corner + extent).all()


def test_a_constant_has_a_frame():
    corner, extent = frame(np.zeros((5, 2)))
    assert (corner < 0).all()
    assert (corner + extent > 0).all()
