"""Functions of JAX: gradients, jit, vmap, and the same numbers as in PyTorch's form."""

from __future__ import annotations

import numpy as np
import pytest
from test_simulation import box

jax = pytest.importorskip("jax")

import dojo_sim.jax as dojo  # noqa: E402
from dojo_sim import InputError, Simulation  # noqa: E402

KAPPA = 1e-4


@pytest.fixture(scope="module")
def crate() -> Simulation:
    return Simulation(box())


@pytest.fixture(autouse=True)
def double_precision() -> None:
    jax.config.update("jax_enable_x64", True)


def start_of(simulation: Simulation) -> np.ndarray:
    return simulation.state("zero", base={"position": [0, 0, 0.251, 0, 0, 0], "velocity": [1.0, 0.3, 0, 0, 0, 0]})


def test_gradients_agree_with_differences(crate: Simulation) -> None:
    from jax.test_util import check_grads

    none = np.zeros((5, 0))

    def function(start: "jax.Array", mass: "jax.Array") -> "jax.Array":
        return dojo.rollout(crate, start, none, {"bodies.box.mass": mass}, kappa=KAPPA, exact=True)

    check_grads(function, (start_of(crate), 2.0), order=1, modes=["rev"], eps=1e-6, atol=1e-5, rtol=1e-3)


def test_jit_and_vmap(crate: Simulation) -> None:
    none = np.zeros((4, 0))

    def reach(start: "jax.Array", mass: "jax.Array") -> "jax.Array":
        return dojo.rollout(crate, start, none, {"bodies.box.mass": mass})[-1, 0]

    start, masses = start_of(crate), np.array([1.0, 2.0, 3.0])
    gradient = jax.jit(jax.grad(reach, argnums=(0, 1)))
    by_start, by_mass = jax.vmap(gradient, in_axes=(None, 0))(start, masses)
    assert by_start.shape == (3, 13) and by_mass.shape == (3,)
    for k in range(3):
        alone = jax.grad(reach, argnums=(0, 1))(start, masses[k])
        np.testing.assert_array_equal(by_start[k], alone[0])
        np.testing.assert_array_equal(by_mass[k], alone[1])


def test_what_does_not_fit_is_refused_when_it_is_traced(crate: Simulation) -> None:
    start, none = start_of(crate), np.zeros((4, 0))
    for act, says in (
        (lambda: dojo.rollout(crate, start, np.zeros(3)), r"inputs: has the shape \(3,\); give \(..., steps, 0\)"),
        (lambda: dojo.rollout(crate, start[:12], none), r"start: has the shape \(12,\)"),
        (lambda: dojo.rollout(crate, start, none, {"weight": 1.0}), 'no parameter "weight"'),
        (lambda: dojo.rollout(crate, start * 1j, none), "complex"),
        (lambda: dojo.step(crate, start, 1.0), "inputs: has the shape"),
    ):
        with pytest.raises(InputError, match=says):
            jax.eval_shape(act)


def test_single_precision_is_refused(crate: Simulation) -> None:
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(InputError, match="jax_enable_x64"):
        dojo.step(crate, start_of(crate), np.zeros(0))
