"""Variational fair clustering of the normalised cut: a penalty on shares in place of bounds.

After Ziko, Yuan, Granger and Ben Ayed (AAAI 2021, doi 10.1609/aaai.v35i12.17336), written anew.
With soft assignments S (rows on the simplex, columns ``S_l``), groups j with shares ``mu_j`` and
indicators ``v_j``, they minimise

    sum_l 1 - S_l^T W S_l / d^T S_l  +  lambda sum_l KL(mu || P_l),   P_lj = v_j^T S_l / 1^T S_l.

Both terms are bounded from above by functions that are linear in S plus ``L KL(S || S_now)``, which
splits into one problem for each person with the solution

    s_pl  ~  s_pl exp(-(a_pl + lambda b_pl) / L),
    a_pl = d_p S_l^T W S_l / (d^T S_l)^2 - 2 (W S_l)_p / d^T S_l,
    b_pl = sum_j mu_j / 1^T S_l  -  mu_g(p) / v_g(p)^T S_l,

in which g(p) is the person's group. a and b are of size ``k / n``, and L starts there: a step of
order one. It is doubled whenever the objective rises.
"""

from __future__ import annotations

import numpy as np

from fairspectral_benchmarks.cut.instances import Task

# Weights of the penalty, from nearly plain to nearly proportional.
PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
_STEPS = 100
# A step that lowers the objective by less than this part is the last one.
_LEAST_FALL = 1e-5


def soft_labels(task: Task, start: np.ndarray, penalty: float) -> np.ndarray:
    """The labels at the end of the descent from some labels, for one weight of the penalty."""
    S = 0.9 * np.eye(task.k)[start] + 0.1 / task.k
    L = 0.5 * task.k / task.n
    objective, gradient = _objective(task, S, penalty)
    for _ in range(_STEPS):
        exponent = -gradient / L
        trial = S * np.exp(exponent - exponent.max(axis=1, keepdims=True))
        trial = np.maximum(trial / trial.sum(axis=1, keepdims=True), 1e-12)
        value, next_gradient = _objective(task, trial, penalty)
        if value > objective:
            L *= 2
            continue
        fall, S, objective, gradient = objective - value, trial, value, next_gradient
        if fall < _LEAST_FALL * abs(objective):
            break
    return np.argmax(S, axis=1)


def _objective(task: Task, S: np.ndarray, penalty: float) -> tuple[float, np.ndarray]:
    """The penalised cut, and ``a + lambda b``, its gradient in S."""
    links, volumes = task.W @ S, task.degrees @ S
    within, sizes = np.sum(links * S, axis=0), S.sum(axis=0)
    shares = task.counts / task.n
    members = np.eye(len(shares))[task.groups].T @ S  # persons of each group in each cluster
    divergence = np.sum(shares[:, None] * np.log(shares[:, None] * sizes / members))
    value = float(np.sum(1 - within / volumes) + penalty * divergence)
    a = task.degrees[:, None] * (within / volumes**2) - 2 * links / volumes
    b = 1 / sizes - shares[task.groups, None] / members[task.groups]
    return value, a + penalty * b
