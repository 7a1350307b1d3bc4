import numpy as np
import pytest

from fairspectral.linalg.chebyshev import ChebyshevFilter

N, LOW, HIGH = 60, -0.9, 0.4
SPECTRUM = np.concatenate([[0.8, 0.6, 0.5], np.linspace(HIGH, LOW, N - 5)])


def problem(rng):
    """A matrix that mixes two deflated directions with the rest."""
    basis = np.linalg.qr(rng.standard_normal((N, N)))[0]
    deflated, free = basis[:, :2], basis[:, 2:]
    A = (free * SPECTRUM) @ free.T
    mixing = deflated @ rng.standard_normal((2, N))
    return A + mixing + mixing.T, deflated, free


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_the_filter_is_the_polynomial_of_the_projected_matrix(rng, degree):
    A, deflated, free = problem(rng)
    lifted = ChebyshevFilter(lambda X: A @ X, deflated, LOW, HIGH, degree)
    x = (SPECTRUM - (LOW + HIGH) / 2) / ((HIGH - LOW) / 2)
    expected = np.polynomial.chebyshev.chebval(x, np.eye(degree + 1)[degree])
    np.testing.assert_allclose(lifted(free.copy()), free * expected, atol=1e-11)
    assert np.abs(expected[3:]).max() <= 1 + 1e-12
    assert (expected[:3] > 1).all()


def test_lifted_values_translate_back_and_damped_ones_do_not():
    lifted = ChebyshevFilter(lambda X: X, np.zeros((N, 0)), LOW, HIGH, 4)
    x = (SPECTRUM - (LOW + HIGH) / 2) / ((HIGH - LOW) / 2)
    values = np.polynomial.chebyshev.chebval(x, np.eye(5)[4])
    np.testing.assert_allclose(lifted.invert(values[:3]), SPECTRUM[:3], atol=1e-12)
    assert np.isnan(lifted.invert(np.array([0.5, -0.5, 1.0]))).all()


def test_other_degrees_are_evaluated_up_to_scale():
    lifted = ChebyshevFilter(lambda X: X, np.zeros((N, 0)), LOW, HIGH, 4)
    x = (SPECTRUM - (LOW + HIGH) / 2) / ((HIGH - LOW) / 2)
    result = lifted.evaluate(SPECTRUM, 2)
    np.testing.assert_allclose(result / result[0], (2 * x**2 - 1) / (2 * x[0] ** 2 - 1), atol=1e-12)
    assert np.abs(result).max() == pytest.approx(1.0)
