"""Costs, plans and environments that are written here, beside arrays, text and the engine's own."""

from __future__ import annotations

import json

import dojo_sim
import numpy as np
import pytest
from dojo_sim import InputError
from dojo_sim import expressions as ex


@pytest.fixture(scope="module")
def cart() -> dojo_sim.Simulation:
    return dojo_sim.Simulation("cartpole", timestep=0.02)


def test_quantities_have_names(cart: dojo_sim.Simulation) -> None:
    names = cart.quantity_names
    assert "bodies.pole.position.z" in names
    assert list(cart.quantities) == list(names)
    assert len(cart.quantities) == len(names)


def test_costs_have_values_and_gradients(cart: dojo_sim.Simulation) -> None:
    q = cart.quantities
    final = 2 * (q["pole.z"] - 0.4) ** 2 + np.float64(0.5) * abs(q["cart.velocity"]) ** 2
    running = 1e-2 * abs(q.input) ** 2 + q["hinge.angle"] * q.time
    inputs = np.sin(np.arange(15.0))[:, None]
    start = cart.state()

    def rolled(given: np.ndarray) -> dojo_sim.Trajectory:
        return cart.rollout(start, given, gradients=True)

    run = rolled(inputs)
    pole = cart.body(run.states, "pole")
    body = cart.body(run.states, "cart")
    angles = cart.minimal(run.states)[:, cart.coordinate_names.index("hinge.angle")]
    by_hand = 2 * (pole.position[-1, 2] - 0.4) ** 2 + 0.5 * np.sum(body.velocity[-1] ** 2)
    by_hand += np.sum(1e-2 * inputs[:, 0] ** 2) + np.sum(angles[:-1] * 0.02 * np.arange(15))
    assert run.cost(final, running) == pytest.approx(by_hand, abs=1e-9)
    text = "2 (pole.z - 0.4)^2 + 0.5 |cart.velocity|^2"
    assert run.cost(text, running) == pytest.approx(by_hand, abs=1e-9)

    gradient = run.gradient(final, running, parameters=["bodies.pole.mass"])
    for k in (0, 7, 14):
        change = np.zeros_like(inputs)
        change[k] = 1e-5
        difference = (rolled(inputs + change).cost(final, running) - rolled(inputs - change).cost(final, running)) / 2e-5
        assert gradient.inputs[k, 0] == pytest.approx(difference, abs=1e-6)
    before = cart.parameters["bodies.pole.mass"]
    values = []
    for mass in (before - 1e-5, before + 1e-5):
        cart.parameters["bodies.pole.mass"] = mass
        values.append(rolled(inputs).cost(final, running))
    cart.parameters["bodies.pole.mass"] = before
    assert gradient.parameters["bodies.pole.mass"] == pytest.approx((values[1] - values[0]) / 2e-5, abs=1e-5)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda q: ex.sin(q.time) + ex.cos(q.time) - ex.tan(q.time), "sin(time) + cos(time) - tan(time)"),
        (lambda q: ex.exp(-q.time) * ex.log(q.time + 2) / ex.tanh(q.time + 1), "exp(-time) log(time + 2) / tanh(time + 1)"),
        (lambda q: ex.sqrt(q["pole.z"] ** 2 + 1), "sqrt(pole.z^2 + 1)"),
        (lambda q: (q["pole.z"] + 3) ** -2, "(pole.z + 3)^-2"),
        (lambda q: ex.dot(q["pole.position"], [1, 2, 3]) + ex.total(q["pole.velocity"]), "dot(pole.position, [1, 2, 3]) + sum(pole.velocity)"),
        (lambda q: ex.cross(q["pole.position"], (0, 0, 1))["x"], "cross(pole.position, [0, 0, 1]).x"),
        (lambda q: ex.norm(1.5 - q["pole.z"]) + q["pole.position"][0], "|1.5 - pole.z| + pole.x"),
        (lambda q: ex.clip(q["pole.z"], 0, 0.1) + ex.minimum(1, q.time, 3) + ex.maximum(2, q.time), "clip(pole.z, 0, 0.1) + min(1, time, 3) + max(2, time)"),
        (lambda q: ex.where(q["pole.z"] < -9, 1, 2) + ex.where(q["pole.z"] >= -9, 3, 4), "5"),
        (lambda q: ex.arctan2(q["pole.z"], 2) - +q.time, "atan2(pole.z, 2) - time"),
    ],
)
def test_arithmetic_says_what_text_says(cart: dojo_sim.Simulation, made: object, text: str) -> None:
    run = cart.rollout(inputs=np.full((3, 1), 0.3))
    assert run.cost(made(cart.quantities)) == pytest.approx(run.cost(text), abs=1e-12)  # type: ignore[operator]


def test_long_sums_are_sent(cart: dojo_sim.Simulation) -> None:
    q = cart.quantities
    cost = 0 * q.time
    for k in range(3000):
        cost = cost + q["pole.z"] * k
    run = cart.rollout(steps=1)
    assert run.cost(cost) == pytest.approx(run.cost("4498500 pole.z"), rel=1e-9)


def test_plans_of_goals(cart: dojo_sim.Simulation) -> None:
    q = cart.quantities
    plan = dojo_sim.plan(
        cart,
        seconds=1,
        reach={"rail.slide": 0.8},
        cost={"running": 0.1 * (q["hinge.angle"] - 0.2) ** 2, "final": abs(q["cart.velocity"]) ** 2},
        constraints=[q["pole.z"] <= 0.6, "input <= 30"],
        effort=1e-3,
    )
    assert plan.solved, plan.reason
    slide = cart.minimal(plan.states[-1])[cart.coordinate_names.index("rail.slide")]
    assert slide == pytest.approx(0.8, abs=1e-5)
    assert plan.inputs.max() <= 30 + 1e-6
    exact = dojo_sim.plan(cart, seconds=1, constraints={"final": q["rail.slide"].equals(0.3)})
    assert cart.minimal(exact.states[-1])[cart.coordinate_names.index("rail.slide")] == pytest.approx(0.3, abs=1e-5)


def own_cartpole(cart: dojo_sim.Simulation) -> dojo_sim.EnvironmentData:
    q = cart.quantities
    lean = q["hinge.angle"] - np.pi
    return dojo_sim.environment(
        "balance",
        cart,
        observation=[q["rail.slide"], lean, q["rail.slide.rate"], q["hinge.angle.rate"]],
        reward=ex.cos(lean) - 0.1 * q["rail.slide"] ** 2 - 0.01 * abs(q.action) ** 2,
        alive=[abs(q["rail.slide"]) <= 2, "|hinge.angle - pi| <= 0.6"],
        horizon=200,
        action_scale=10,
        action_limit=1,
        start="upright" if "upright" in cart.state_names else None,
        start_noise=0.05,
    )


def test_environments_of_ones_own_are_data(cart: dojo_sim.Simulation) -> None:
    data = json.loads(own_cartpole(cart).json)
    assert data["name"] == "balance"
    assert data["observation"][0] == {"nodes": [["quantity", "rail.slide"]]}
    assert data["alive"][1] == "|hinge.angle - pi| <= 0.6"


def test_environments_of_ones_own_train(cart: dojo_sim.Simulation) -> None:
    pytest.importorskip("gymnasium")
    from dojo_sim.gym import DojoEnv, DojoVectorEnv

    own = own_cartpole(cart)
    env = DojoEnv(own)
    observation, _ = env.reset(seed=1)
    assert observation.shape == (4,)
    _, reward, _, _, info = env.step(np.zeros(1))
    assert info["status"] == "solved"
    assert np.isfinite(reward)
    many = DojoVectorEnv(own, num_envs=3)
    many.reset(seed=1)
    assert many.step(np.zeros((3, 1)))[1].shape == (3,)
    trained = dojo_sim.train(own, method="ars", updates=2, directions=2)
    assert trained.evaluations > 0
    assert json.loads(trained.policy)["environment"] == "balance"
    with pytest.raises(InputError, match="has no options"):
        DojoEnv(own, timestep=0.1)


def test_what_cannot_be_is_refused(cart: dojo_sim.Simulation) -> None:
    q = cart.quantities
    run = cart.rollout(steps=2)
    with pytest.raises(InputError, match='there is no quantity "pole.zz"; did you mean "pole.z"'):
        run.cost(q["pole.zz"])
    with pytest.raises(InputError, match="give a cost of the last state"):
        run.cost()
    with pytest.raises(InputError, match="is a comparison"):
        run.cost(q["pole.z"] >= 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="is text; a quantity is"):
        q["pole.z"] + "pole.x"  # type: ignore[operator]
    with pytest.raises(InputError, match="whole number from -16 to 16"):
        q["pole.z"] ** 2.5
    with pytest.raises(TypeError, match="no value here"):
        bool(q["pole.z"])
    with pytest.raises(TypeError, match="no truth here"):
        bool(q["pole.z"] > 1)
    with pytest.raises(TypeError, match="by number"):
        list(q["pole.position"])
    with pytest.raises(InputError, match="seconds: say how long"):
        dojo_sim.plan(cart, reach={"pole.z": 1})
    with pytest.raises(InputError, match="a named task has its goal"):
        dojo_sim.plan("box-right", seconds=1)
    with pytest.raises(InputError, match="a cost is a sum of weight"):
        dojo_sim.plan(cart, seconds=1, cost=q["pole.z"])
    with pytest.raises(InputError, match='there is no state "up"'):
        dojo_sim.environment("x", cart, observation="time", reward="time", horizon=1, start="up")
    with pytest.raises(InputError, match="an equation has no margin"):
        dojo_sim.environment("x", cart, observation="time", reward="time", horizon=1, alive=q.time.equals(1))
