"""Gradients, against closed forms and central differences of exact rollouts."""

from __future__ import annotations

import numpy as np
import pytest
from test_simulation import G, box

from dojo_sim import GradientError, InputError, Simulation


@pytest.fixture(scope="module")
def hopper() -> Simulation:
    return Simulation("hopper")


def test_a_free_fall_is_linear() -> None:
    simulation = Simulation(box())
    start = simulation.state("zero", base=[0, 0, 10, 0, 0, 0])
    h = simulation.timestep
    found = simulation.step_gradients(start, parameters=["gravity.z"], kappa=1e-10)
    expected = np.eye(12)
    # of a body that does not turn: positions move on with velocities, attitudes with rates
    expected[0:3, 6:9] = h * np.eye(3)
    expected[3:6, 9:12] = h * np.eye(3)
    np.testing.assert_allclose(found.dnext_dstate, expected, atol=1e-6)
    np.testing.assert_allclose(found.dnext_dparameter[[2, 8], 0], [h * h, h], rtol=1e-6)


def test_gradients_are_checked_with_features_held_and_found_anew() -> None:
    assert Simulation(box()).check_gradients(Simulation(box()).state("zero", base=[0, 0, 10, 0, 0, 0])).free_worst is None
    slab = {"kind": "box", "size": [1, 1, 1], "position": [-0.5, 0, -0.5], "contact": {"frictionCoefficient": 0.5}}
    ball = {"kind": "sphere", "radius": 0.1, "contact": {"frictionCoefficient": 0.5}}
    simulation = Simulation(
        {
            "timestep": 0.01,
            "bodies": {"ball": {"mass": 1, "inertia": np.diag([0.004] * 3).tolist(), "shapes": [ball]}},
            "joints": {"base": {"kind": "floating", "parent": "world", "child": "ball"}},
            "shapes": [slab],
        }
    )
    inside = simulation.check_gradients(simulation.state("zero", base=[-0.2, 0, 0.1, 0, 0, 0]))
    assert inside.worst < 1e-6
    assert inside.free_worst is not None
    assert inside.free_worst < 1e-6
    assert inside.corners == ()
    # over the rim the ball goes on to an edge
    start = simulation.state("zero", base={"position": [0, 0, 0.1, 0, 0, 0], "velocity": [0, 0.3, 0, 0, 0, 0]})
    rim = simulation.check_gradients(start, relative_kappa=1e-3)
    assert rim.free_worst is not None
    assert rim.free_worst < 1e-6
    assert [corner.entry for corner in rim.corners] == ["d(ball.angularVelocity.z)/d(ball.position.x)"]
    assert abs(rim.corners[0].above - rim.corners[0].below) > 1
    assert "no derivative" in str(rim)


def test_a_sliding_box_stops_where_it_should() -> None:
    simulation = Simulation(box())
    speed, friction = 2.0, 0.5
    start = simulation.state("zero", base={"position": [0, 0, 0.25, 0, 0, 0], "velocity": [speed, 0, 0, 0, 0, 0]})
    slide = simulation.rollout(start, steps=80, gradients=True, kappa=1e-6)
    cotangents = np.zeros((81, 13))
    cotangents[-1, 0] = 1
    pulled = slide.pullback(cotangents, parameters=["contacts.*.frictionCoefficient"])
    # v²/(2 c g), to what one time step can change
    assert pulled.state[6] == pytest.approx(speed / (friction * G), rel=0.05)
    assert pulled.parameters["contacts.*.frictionCoefficient"] == pytest.approx(
        -(speed**2) / (2 * friction**2 * G), rel=0.05
    )
    tangent = np.zeros(12)
    tangent[6] = 1
    pushed = slide.pushforward(tangent)
    assert pushed[-1, 0] == pytest.approx(pulled.state[6], abs=1e-9)


def test_linearize_is_the_step_at_its_point(hopper: Simulation) -> None:
    state = hopper.state()
    linear = hopper.linearize(state, relative_kappa=0.01)
    gradients = hopper.step_gradients(state, relative_kappa=0.01, coordinates="minimal")
    np.testing.assert_array_equal(linear.A, gradients.dnext_dstate)
    np.testing.assert_array_equal(linear.B, gradients.dnext_dinput)
    assert gradients.minimal_next is not None
    np.testing.assert_allclose(linear.c, gradients.minimal_next - hopper.minimal(state), atol=1e-12)


def test_contact_impulses_have_gradients() -> None:
    simulation = Simulation(box())
    state = simulation.state("zero", base=[0, 0, 0.25, 0, 0, 0])
    found = simulation.step_gradients(state, contacts=["c0", "c1"], kappa=1e-6)
    assert found.impulses is not None and found.dimpulse_dstate is not None
    assert found.impulses.shape == (2, 3) and found.dimpulse_dstate.shape == (6, 12)


def test_batches_are_the_same_on_one_engine_and_on_two(hopper: Simulation) -> None:
    from dojo_sim import Pool

    random = np.random.default_rng(1)
    starts = hopper.minimal(hopper.state()) + 0.01 * random.normal(size=(7, 12))
    inputs = random.normal(size=(7, 30, 3))
    mass = 1 + random.random(7)
    results = []
    alone = Pool(1)
    # the default has an engine per core
    for simulation in (Simulation("hopper", pool=alone), Simulation("hopper")):
        found = simulation.rollouts(
            starts, inputs, parameters={"bodies.foot.mass": mass}, coordinates="minimal", gradients=True
        )
        assert found.solved
        gradient = found.pullback(np.ones_like(found.states))
        results.append((found.states, gradient.starts, gradient.inputs, gradient.parameters))
        # parameters of the batch are gone with it
        assert simulation.parameters["bodies.foot.mass"] == hopper.parameters["bodies.foot.mass"]
    alone.close()
    for one, two in zip(*results):
        np.testing.assert_array_equal(one, two)


def test_a_batch_is_its_rollouts(hopper: Simulation) -> None:
    start = hopper.state()
    inputs = np.random.default_rng(2).normal(size=(3, 20, 3))
    batch = hopper.rollouts(start, inputs)
    final = hopper.rollouts(start, inputs, keep="final")
    for k in range(3):
        alone = Simulation("hopper").rollout(start, inputs[k])
        np.testing.assert_array_equal(batch.states[k], alone.states)
        np.testing.assert_array_equal(final.states[k], alone.final)


def test_what_has_no_gradients_says_so(hopper: Simulation) -> None:
    found = hopper.rollouts(hopper.state(), steps=2)
    with pytest.raises(InputError, match="without gradients"):
        found.pullback(np.zeros_like(found.states))
    with pytest.raises(InputError, match="exact"):
        hopper.rollouts(hopper.state(), steps=2, exact=True)
    # faster than a time step can express
    wild = hopper.minimal(hopper.state())
    wild[8] = 1e6
    with pytest.raises((GradientError, InputError)):
        found = hopper.rollouts(wild, steps=2, coordinates="minimal", gradients=True)
        found.pullback(np.zeros_like(found.states))
