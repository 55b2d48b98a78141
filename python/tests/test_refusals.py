"""Slips of a user: each is refused, with its place, before it can do harm; and the engine goes on."""

from __future__ import annotations

from typing import Callable

import numpy as np
import pytest
from test_simulation import box

from dojo_sim import InputError, Simulation

UNIT = [1, 0, 0, 0]


@pytest.fixture(scope="module")
def crate() -> Simulation:
    return Simulation(box())


@pytest.fixture(scope="module")
def state(crate: Simulation) -> np.ndarray:
    return crate.state("zero", base=[0, 0, 1, 0, 0, 0])


def spoilt(state: np.ndarray, at: slice | int, value: object) -> np.ndarray:
    other = state.copy()
    other[at] = value
    return other


NAN = float("nan")
RUNS = {"steps": 2}
long = lambda state: spoilt(state, slice(3, 7), [2, 0, 0, 0])  # noqa: E731
bad = lambda state: spoilt(state, 8, NAN)  # noqa: E731


@pytest.mark.parametrize(
    ("act", "says"),
    [
        # states
        (lambda s, z: s.step(long(z)), "not-unit at bodies.box.orientation.*simulation.project_state"),
        (lambda s, z: s.rollout(long(z), steps=1, check=False), "not-unit"),
        (lambda s, z: s.rollouts(long(z), check=False, **RUNS), r"starts\[0\].*\nnot-unit"),
        (lambda s, z: s.step_gradients(long(z)), "not-unit"),
        (lambda s, z: s.energy(bad(z)), r"not-finite at bodies.box.velocity\[1\]"),
        (lambda s, z: s.render(bad(z)), "not-finite"),
        (lambda s, z: s.minimal(bad(z)), "not-finite"),
        (lambda s, z: s.rollouts(bad(z), check=False, **RUNS), "not-finite"),
        (lambda s, z: s.rollouts(s.minimal(z) * NAN, coordinates="minimal", **RUNS), r"starts\[0\]\[0\].*is NaN"),
        (lambda s, z: s.maximal(np.full(12, NAN)), "not-finite"),
        (lambda s, z: s.state(base=[NAN] * 6), "position: .*; give finite numbers"),
        (lambda s, z: s.step(z.astype(complex)), "complex"),
        (lambda s, z: s.step([None] * 13), "state: cannot be read as numbers"),
        (lambda s, z: s.step(np.ma.array(z, mask=z == z[2])), "state: .* some are masked; fill them first"),
        (lambda s, z: s.rollout(z, steps=1).pullback(np.zeros((2, 13))), "give gradients=True to rollout"),
        (lambda s, z: s.step(["1"] * 13), "state: cannot be read as numbers"),
        (lambda s, z: s.step(z, np.full(0, 1), interval=NAN), "interval: nan; give a finite number"),
        # sensors
        (lambda s, z: s.imu("box", z, z, orientation=[2, 0, 0, 0]), "not-unit at orientation|orientation: .* length 2"),
        (lambda s, z: s.imu("box", z, z, orientation=[NAN, 0, 0, 0]), "orientation"),
        (lambda s, z: s.imu("box", z, z, position=[NAN, 0, 0]), "position"),
        # names and choices
        (lambda s, z: s.rollouts(z, coordinates="foo", **RUNS), "coordinates: 'foo'; give one of maximal, minimal"),
        (lambda s, z: s.rollouts(z, keep="last", **RUNS), "keep: 'last'; give one of all, final"),
        (lambda s, z: s.linearize(z, coordinates="foo"), "coordinates: 'foo'"),
        (lambda s, z: s.rollouts(z, parameters={"contacts.*.friction": 1}, **RUNS), "there is no parameter"),
        (lambda s, z: s.step_gradients(z, parameters="gravty.z"), 'did you mean "gravity.z"'),
        # numbers
        (lambda s, z: s.parameters.update({"gravity.z": NAN}), "gravity.z: nan; give a finite number"),
        (lambda s, z: s.parameters.update({"gravity.z": "down"}), "gravity.z: cannot be read as numbers"),
        (lambda s, z: s.parameters.update({"gravity.z": 1j}), "complex"),
        (lambda s, z: s.rollouts(z, parameters={"gravity.z": [1, NAN]}, **RUNS), "gravity.z.*finite"),
        (lambda s, z: s.step_gradients(z, kappa=NAN), "kappa: nan; give a finite number"),
        (lambda s, z: s.step_gradients(z, kappa=1e-3, relative_kappa=1), "kappa and relative_kappa"),
        (lambda s, z: s.step_gradients(z, kappa=1e-3, smoothing=0.1), "smoothing and kappa are given"),
        (lambda s, z: s.step_gradients(z, smoothing=-1), "smoothing: -1"),
        (lambda s, z: s.rollout(steps=2.5), "steps: 2.5; give a whole number"),
        (lambda s, z: s.render(z, width=0), "width: 0"),
        (lambda s, z: s.rollout(z, steps=10**8), "GiB"),
        (lambda s, z: s.rollouts(np.stack([z] * 4), steps=10**7), "GiB"),
        (lambda s, z: Simulation("pendulum", precision="coarse"), "precision: 'coarse'; give one of exact, fast"),
        (lambda s, z: Simulation("pendulum", error_tolerance=0), "error_tolerance: 0; give more than 0"),
        # descriptions
        (lambda s, z: Simulation(box(NAN)), r"model.description.bodies.box.mass: nan; give a finite number"),
        (lambda s, z: Simulation({**box(), "name": {1, 2}}), "model.description.name: set"),
        (lambda s, z: Simulation(box(), timestep=-1), "timestep"),
        (lambda s, z: Simulation(box(), timestep=True), "timestep: True"),
        (lambda s, z: Simulation(""), r"dojo_sim.models\(\) has all"),
        (lambda s, z: s.body(z[:5], "box"), r"state: has the shape \(5,\)"),
        # cotangents of another width, also where all of them are zero
        (lambda s, z: s.rollout(z, steps=2, gradients=True).pullback(np.zeros((3, 7))), "cotangents: have 7|have 7 numbers"),
        (
            lambda s, z: s.rollout(z, steps=2, gradients=True).pullback(np.zeros((3, 13)), coordinates="minimal"),
            "give 12 in minimal",
        ),
    ],
)
def test_a_slip_is_refused(
    crate: Simulation, state: np.ndarray, act: Callable[[Simulation, np.ndarray], object], says: str
) -> None:
    pid = crate.pool.first.pid
    with pytest.raises(InputError, match=f"(?s){says}") as caught:
        act(crate, state)
    for word in ("Float64Array", "projectState", "maximalState", "relativeKappa", "--"):
        assert word not in str(caught.value)
    assert crate.pool.first.pid == pid


def test_numbers_of_numpy_are_numbers(crate: Simulation, state: np.ndarray) -> None:
    fall = crate.rollout(state, steps=np.int64(2), gradients=True, kappa=np.float32(1e-3))
    assert fall.steps == 2
    assert crate.render(state, width=np.int32(8), height=np.int16(6)).shape == (6, 8, 3)
    with Simulation({**box(), "timestep": np.float64(0.02), "gravity": np.array([0, 0, -1.0])}) as other:
        assert (other.timestep, other.parameters["gravity.z"]) == (0.02, -1.0)
    tangents = fall.pushforward(parameters={"gravity.z": np.float32(1)})
    assert tangents.shape == (3, 12)


def test_parameters_stay_floats(crate: Simulation) -> None:
    before = crate.parameters["gravity.z"]
    crate.parameters["gravity.z"] = -5
    assert isinstance(crate.parameters["gravity.z"], float)
    crate.parameters["gravity.z"] = before


def test_one_body_is_one(crate: Simulation) -> None:
    assert repr(crate).endswith(": 1 body, 0 inputs, 4 contacts>")


def test_a_name_by_itself_is_one_name(crate: Simulation, state: np.ndarray) -> None:
    assert crate.step_gradients(state, parameters="gravity.z").dnext_dparameter.shape == (12, 1)
    fall = crate.rollout(state, steps=1, gradients=True)
    assert list(fall.pullback(np.ones((2, 12)), parameters="gravity.z").parameters) == ["gravity.z"]


def test_parameters_are_asked_for_as_in_a_dict(crate: Simulation) -> None:
    assert "gravity.z" in crate.parameters and "gravity" not in crate.parameters and 3 not in crate.parameters
    assert crate.parameters.get("weight") is None and crate.parameters.get("weight", 2) == 2
    assert crate.parameters.get("gravity.z") == crate.parameters["gravity.z"]


def test_empty_batches_are_empty(crate: Simulation, state: np.ndarray) -> None:
    none = crate.rollouts(np.zeros((0, 13)), steps=3, gradients=True)
    assert none.states.shape == (0, 4, 13) and none.solved
    back = none.pullback(none.states)
    assert (back.starts.shape, back.inputs.shape) == ((0, 13), (0, 3, 0))
    assert crate.rollouts(np.zeros((0, 13)), steps=3, keep="final").states.shape == (0, 13)
    assert crate.minimal(np.zeros((0, 13))).shape == (0, 12)
    assert crate.rollout(state, steps=0).contacts().force.shape == (0, 4, 3)


def test_a_star_sets_all_that_fit_in_a_batch(crate: Simulation) -> None:
    start = crate.state("zero", base={"position": [0, 0, 0.25, 0, 0, 0], "velocity": [1, 0, 0, 0, 0, 0]})
    # each slides v²/(2 c g) less what friction takes
    slid = crate.rollouts(start, steps=40, parameters={"contacts.*.frictionCoefficient": [0.1, 0.4]}, gradients=True)
    one, other = slid.states[:, -1, 0]
    assert one > other + 0.1
    back = slid.pullback(np.ones_like(slid.states))
    assert back.parameters.shape == (2, 1) and (back.parameters < 0).all()


def test_the_description_has_the_parameters_of_now() -> None:
    simulation = Simulation("hopper")
    changes = {
        "gravity.z": -3.0,
        "bodies.foot.mass": 2.5,
        "bodies.foot.inertia.xx": 0.12,
        "contacts.*.frictionCoefficient": 0.25,
        "timestep": 0.01,
    }
    simulation.parameters.update(changes)
    joint = next(name for name, value in simulation.parameters.items() if name.endswith(".damping.0") and value > 0)
    simulation.parameters[joint] = 0.7
    again = Simulation(simulation.description)
    # joints are regularised by the masses that they were compiled with
    ours, theirs = ({n: x for n, x in s.parameters.items() if ".regularization." not in n} for s in (simulation, again))
    assert theirs == pytest.approx(ours, rel=1e-12)
    turned = next(name[: -len(".w")] for name in simulation.parameters if name.endswith(".parentFrame.w"))
    simulation.parameters.update({f"{turned}.w": np.sqrt(0.5), f"{turned}.x": np.sqrt(0.5), f"{turned}.y": 0, f"{turned}.z": 0})
    assert Simulation(simulation.description).parameters[f"{turned}.x"] == np.sqrt(0.5)
