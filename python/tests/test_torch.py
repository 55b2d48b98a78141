"""Functions of PyTorch: gradcheck at its default tolerances, batches, parameters, float32."""

from __future__ import annotations

import numpy as np
import pytest
from test_simulation import box

torch = pytest.importorskip("torch")

import dojo_sim.torch as dojo  # noqa: E402
from dojo_sim import InputError, Simulation  # noqa: E402

KAPPA = 1e-4


def double(value: object) -> "torch.Tensor":
    return torch.tensor(np.asarray(value), dtype=torch.float64, requires_grad=True)


@pytest.fixture(scope="module")
def crate() -> Simulation:
    return Simulation(box())


def sliding(simulation: Simulation) -> np.ndarray:
    return simulation.state("zero", base={"position": [0, 0, 0.251, 0, 0, 0], "velocity": [1.0, 0.3, 0, 0, 0, 0]})


def test_gradcheck_of_a_step_of_bodies(crate: Simulation) -> None:
    state, mass = double(sliding(crate)), double(2.0)
    none = torch.zeros(0, dtype=torch.float64)

    def function(state: "torch.Tensor", mass: "torch.Tensor") -> "torch.Tensor":
        return dojo.step(crate, state, none, {"bodies.box.mass": mass}, kappa=KAPPA, exact=True)

    assert torch.autograd.gradcheck(function, (state, mass))


def test_gradcheck_of_a_rollout_that_lands_and_slides() -> None:
    # at rest in the air, 2 mm above the floor, and moving forwards
    sharp = Simulation("hopper", kappa=KAPPA)
    minimal = sharp.minimal(sharp.state("rest"))
    minimal[0] += 0.002
    minimal[7] = 0.8
    torques = 2 * np.random.default_rng(3).normal(size=(20, 3))
    run = sharp.rollout(sharp.maximal(minimal), torques).contacts()
    touching = (run.normal > 1).any(axis=1)
    friction = np.array([sharp.parameters[f"contacts.{name}.frictionCoefficient"] for name in run.names])
    slip = (run.normal > 1) & (np.linalg.norm(run.friction, axis=-1) > 0.99 * friction * run.normal)
    assert touching.sum() >= 5 and slip.any()

    hopper = Simulation("hopper")

    def function(start: "torch.Tensor", inputs: "torch.Tensor", mu: "torch.Tensor") -> "torch.Tensor":
        parameters = {"contacts.foot.toe.frictionCoefficient": mu}
        return dojo.rollout(hopper, start, inputs, parameters, coordinates="minimal", kappa=KAPPA, exact=True)

    mu = hopper.parameters["contacts.foot.toe.frictionCoefficient"]
    assert torch.autograd.gradcheck(function, (double(minimal), double(torques), double(mu)))


def test_gradients_are_those_of_the_same_states_unless_smoothed(crate: Simulation) -> None:
    state = double(sliding(crate))
    none = torch.zeros(10, 0, dtype=torch.float64)
    states = dojo.rollout(crate, state, none)
    plain = crate.rollouts(state.detach().numpy(), steps=10).states[0]
    np.testing.assert_array_equal(states.detach().numpy(), plain)
    states[-1, 0].backward()
    assert state.grad is not None
    sharp = float(state.grad[7])
    state.grad = None
    dojo.rollout(crate, state, none, smoothing=0.1)[-1, 0].backward()
    assert state.grad is not None and 0 < float(state.grad[7]) < 1 and float(state.grad[7]) != sharp


def test_batches_broadcast(crate: Simulation) -> None:
    start = double(sliding(crate))
    masses = double([1.0, 2.0, 3.0])
    none = torch.zeros(4, 0, dtype=torch.float64)
    states = dojo.rollout(crate, start, none, {"bodies.box.mass": masses})
    assert states.shape == (3, 5, 13)
    states[..., -1, 0].sum().backward()
    assert masses.grad is not None and masses.grad.shape == (3,)
    assert start.grad is not None and start.grad.shape == (13,)
    many = dojo.step(crate, start.detach().expand(2, 3, 13).float(), torch.zeros(2, 3, 0))
    assert many.shape == (2, 3, 13) and many.dtype == torch.float64


def test_quaternions_are_normalised_inside(crate: Simulation) -> None:
    state = sliding(crate)
    longer = state.copy()
    longer[3:7] *= 3.0
    none = torch.zeros(0, dtype=torch.float64)
    one, other = (dojo.step(crate, torch.tensor(value), none) for value in (state, longer))
    np.testing.assert_allclose(one, other, atol=1e-14)


def test_a_rollout_in_pieces_has_the_gradient_of_the_whole(crate: Simulation) -> None:
    none = torch.zeros(6, 0, dtype=torch.float64)
    how = {"kappa": KAPPA, "exact": True}
    whole, pieces = double(sliding(crate)), double(sliding(crate))
    dojo.rollout(crate, whole, none, **how)[-1, :3].sum().backward()
    state = pieces
    for k in range(6):
        state = dojo.step(crate, state, none[k], **how)
    state[:3].sum().backward()
    np.testing.assert_allclose(whole.grad, pieces.grad, atol=1e-8)


def test_what_does_not_fit_is_refused_before_it_runs(crate: Simulation) -> None:
    start, none = torch.tensor(sliding(crate)), torch.zeros(4, 0)
    for act, says in (
        (lambda: dojo.rollout(crate, start, torch.zeros(3)), r"inputs: has the shape \(3,\); give \(..., steps, 0\)"),
        (lambda: dojo.rollout(crate, start[:12], none), r"start: has the shape \(12,\); give \(..., 13\)"),
        (lambda: dojo.rollout(crate, start, none, coordinates="minimal"), r"give \(..., 12\)"),
        (lambda: dojo.rollout(crate, start, none, coordinates="foo"), "coordinates: 'foo'"),
        (lambda: dojo.rollout(crate, start, none.expand(2, 4, 0), {"gravity.z": torch.ones(3)}), "do not fit together"),
        (lambda: dojo.rollout(crate, start, none, {"weight": torch.ones(())}), 'no parameter "weight"'),
        (lambda: dojo.rollout(crate, start * 1j, none), "complex"),
        (lambda: dojo.rollout(crate, start, none, exact=True), "exact: say at which kappa"),
        (lambda: dojo.step(crate, start, torch.zeros(2)), r"give \(..., steps, 0\)"),
    ):
        with pytest.raises(InputError, match=says):
            act()


def test_no_rollouts_have_no_states_and_a_gradient(crate: Simulation) -> None:
    start = torch.zeros(0, 13, dtype=torch.float64, requires_grad=True)
    states = dojo.rollout(crate, start, torch.zeros(4, 0))
    assert states.shape == (0, 5, 13)
    states.sum().backward()
    assert start.grad is not None and start.grad.shape == (0, 13)
