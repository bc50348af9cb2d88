"""The two systems of Papadopoulos and Leva (2014), with the corrections of docs/papers."""

import numpy as np
import scipy.sparse
from scipy.linalg import expm

import dovetail as dv
from dovetail.integrators import Effort

M_A, M_B, M_W = 0.1, 1.0, 10.0
C_A, C_B, C_W = 4200.0, 3500.0, 500.0
G_A = G_B = 8000.0
W_A = W_B = 1.0
INLET_A, INLET_B, START = 323.15, 288.15, 293.15


def matrix(n):
    """A and b of T' = A T + b; states are Ta, Tw, Tb, each from its first volume on."""
    i = np.arange(n)
    a, w, b = i, n + i, 2 * n + i
    opposite = 2 * n + (n - 1 - i)  # the volume of stream b at the wall of stream a
    entries = []
    ka, kw, kb = n / (C_A * M_A), n / (C_W * M_W), n / (C_B * M_B)
    entries += [(a, a, -ka * (W_A * C_A + G_A / n)), (a, w, ka * G_A / n)]
    entries += [(a[1:], a[:-1], ka * W_A * C_A)]
    entries += [(w, w, -kw * (G_A + G_B) / n), (w, a, kw * G_A / n), (w, opposite, kw * G_B / n)]
    entries += [(b, b, -kb * (W_B * C_B + G_B / n)), (opposite, w, kb * G_B / n)]
    entries += [(b[1:], b[:-1], kb * W_B * C_B)]
    rows = np.concatenate([r for r, _, _ in entries])
    columns = np.concatenate([c for _, c, _ in entries])
    values = np.concatenate([np.full(len(r), v) for r, _, v in entries])
    A = scipy.sparse.csr_array((values, (rows, columns)), shape=(3 * n, 3 * n))
    constant = np.zeros(3 * n)
    constant[0] = ka * W_A * C_A * INLET_A
    constant[2 * n] = kb * W_B * C_B * INLET_B
    return A, constant


def exchanger(n, **options):
    """The heat exchanger with n volumes per row."""
    A, constant = matrix(n)
    start = np.full(n, START)
    return dv.Dynamic(
        states={"Ta": start, "Tw": start, "Tb": start},
        outputs=["Ta", "Tw", "Tb"],
        derivatives=lambda t, x, u, p: A @ x + constant,
        jacobian=lambda t, x, u, p: A,
        vector=True,
        **options,
    )


M, J = 1000.0, 2100.0
K_F, K_R, D_F, D_R, L_F, L_R = 28000.0, 21000.0, 3500.0, 3500.0, 0.9, 1.2
TORQUE, GRAVITY, ROAD, LATER = 500.0, 9.81, 0.15, 2.0
CAR = ("zdot", "z", "thetadot", "theta")


def car_rates(t, x):
    zd, z, thd, th = x
    z = z - (ROAD if t > LATER else 0.0)
    front = 2 * K_F * (L_F * th - z) + 2 * D_F * (L_F * thd - zd)
    rear = -2 * K_R * (L_R * th + z) - 2 * D_R * (L_R * thd + zd)
    return np.array(
        [
            (front + rear) / M - GRAVITY,
            x[0],
            (-L_F * front + L_R * rear + TORQUE) / J,
            x[2],
        ]
    )


def half_car(**options):
    return dv.Dynamic(
        states=dict.fromkeys(CAR, 0.0),
        outputs=list(CAR),
        derivatives=lambda t, x, u, p: car_rates(t, x),
        vector=True,
        **options,
    )


def stepped(problem, x, size, stop, integrator):
    follower, states, effort = integrator.follower(), [x], Effort()
    for k in range(round(stop / size)):
        arc = follower.run(problem, k * size, states[-1], (k + 1) * size, going_on=k > 0)
        states.append(arc.state)
        effort = effort + arc.effort
    return np.array(states), effort


def article_error(states, reference, stop):
    """The article's formula: it grows with the number of steps, and is what it is."""
    return np.sqrt(((states[1:] - reference[1:]) ** 2).sum(axis=0) / stop)


def exact(n, size, stop):
    A, b = matrix(n)
    rest = -np.linalg.solve(A.toarray(), b)
    step = expm(A.toarray() * size)
    states = [np.full(3 * n, START)]
    for _ in range(round(stop / size)):
        states.append(rest + step @ (states[-1] - rest))
    return np.array(states)
