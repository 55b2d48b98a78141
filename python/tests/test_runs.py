"""Planning, training, identification, the playground: they run, report, and can be ended."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import numpy as np
import pytest
from conftest import is_running

import dojo_sim
from dojo_sim import EngineError, InputError, Pool, Simulation


def test_a_plan_does_what_it_says() -> None:
    seen: list[int] = []
    found = dojo_sim.plan("box-right", on_progress=lambda progress: seen.append(progress["iteration"]))
    assert found.solved and found.violation <= 1e-6 and len(seen) > 2
    # a simulation of its own gets where the plan says
    again = found.simulation().rollout(found.start, found.inputs)
    np.testing.assert_allclose(again.final, found.states[-1], atol=1e-6)
    assert found.gains.shape[:2] == found.inputs.shape


def test_a_plan_that_is_ended_keeps_what_it_has(tmp_path: Path) -> None:
    found = dojo_sim.plan("box-right", on_progress=lambda progress: progress["iteration"] < 2)
    assert not found.solved and found.reason
    found.save(tmp_path / "plan.json")
    assert (tmp_path / "plan.json").read_text().startswith('{"format":"dojo-sim plan"')
    with pytest.raises(InputError, match="did you mean"):
        dojo_sim.plan("box-rigth")


def test_training_goes_update_by_update() -> None:
    run = dojo_sim.training("pendulum", method="ars", seed=3, updates=3)
    first = next(run)
    assert first["update"] == 1 and first["updates"] == 3
    trained = run.result
    assert len(trained.returns) == 3 and trained.evaluations > 0
    again = dojo_sim.train("pendulum", method="ars", seed=3, updates=3, on_progress=lambda progress: False)
    assert len(again.returns) == 1 and again.returns[0] == trained.returns[0]
    with pytest.raises(InputError, match="ags, ars"):
        dojo_sim.train("pendulum", method="sac")


def test_training_without_a_method_takes_the_one_that_suits_the_environment() -> None:
    for environment, method in (("pendulum", "ars"), ("cartpole", "ags")):
        chosen = dojo_sim.train(environment, seed=3, updates=1)
        named = dojo_sim.train(environment, method=method, seed=3, updates=1)
        assert list(chosen.returns) == list(named.returns) and chosen.evaluations == named.evaluations


def test_a_run_that_was_lost_says_so() -> None:
    pool = Pool(1)
    run = dojo_sim.training("pendulum", updates=3, engine=pool.first)
    next(run)
    pool.close()
    with pytest.raises(EngineError, match="lost with its engine"):
        next(run)
    pool.close()


def test_identification_finds_the_damping_it_was_recorded_with(tmp_path: Path) -> None:
    simulation = Simulation("pendulum")
    damping = next(name for name in simulation.parameters if name.endswith(".damping.0"))
    truth = 0.35
    # not the model's own, so that the fit finds the damping only if it knows
    mass = {"bodies.rod.mass": 3.0, "gravity.z": -5.0}
    simulation.parameters.update({damping: truth, **mass})
    swing = simulation.rollout(steps=100)
    name = simulation.coordinate_names[0]
    rows = [f"time,{name}"] + [f"{t},{x!r}" for t, x in zip(swing.times, swing.minimal()[:, 0].tolist())]
    path = tmp_path / "swing.csv"
    path.write_text("\n".join(rows))
    iterations: list[int] = []
    unknown = Simulation("pendulum")
    unknown.parameters.update(mass)
    found = dojo_sim.fit(
        unknown,
        str(path),
        {"damping": {"start": 0.1, "lower": 0.0, "upper": 2.0}},
        {damping: "damping"},
        on_progress=lambda progress: iterations.append(progress["iteration"]),
    )
    # starts are estimated from two frames
    assert found.values["damping"] == pytest.approx(truth, rel=0.02)
    assert iterations and found.end == "converged"
    # by name alone: it begins at what the simulation has
    unknown.parameters[damping] = 0.1
    named = dojo_sim.fit(unknown, path, [damping])
    assert named.values[damping] == pytest.approx(found.values["damping"], rel=1e-6)
    assert dojo_sim.fit(unknown, path, damping).values == named.values
    with pytest.raises(InputError, match="no such parameter; did you mean"):
        dojo_sim.fit(unknown, path, damping + "0")
    with pytest.raises(InputError, match="by name set themselves"):
        dojo_sim.fit(unknown, path, [damping], {damping: "damping"})
    with pytest.raises(InputError, match="say by formulas what the parameters set"):
        dojo_sim.fit(unknown, path, {"damping": {"start": 0.1}})
    with pytest.raises(InputError, match="give the name of one at least"):
        dojo_sim.fit(unknown, path, [])


def test_the_playground_is_on_loopback_and_ends() -> None:
    simulation = Simulation("pendulum")
    simulation.parameters["bodies.rod.mass"] = 2.625
    shown = dojo_sim.view(simulation, open_browser=False)
    assert shown.address.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(shown.address.split("#")[0], timeout=100) as page:
        assert b"<html" in page.read()
    with urllib.request.urlopen(shown.address.split("#")[0] + "robot.json", timeout=100) as robot:
        said = robot.read()
        assert b'"pendulum"' in said and b"2.625" in said
    assert "iframe" in shown._repr_html_()
    pid = shown._process.pid
    shown.close()
    assert not is_running(pid)


def test_keywords_that_nobody_knows_are_refused(tmp_path: Path) -> None:
    for wrong, says in (
        ({"updats": 3}, 'no "updats"; did you mean "updates"'),
        ({"hidden_unit": 3}, 'no "hidden_unit"; did you mean "hidden_units"'),
        ({"horizon": 3}, 'method "ars" has no "horizon"'),
        ({"updates": 0}, "updates"),
        ({"policy": "mlp"}, '"mlp" is not one of linear, network'),
        ({"updates": np.nan}, "updates: nan; give a finite number"),
    ):
        with pytest.raises(InputError, match=says):
            dojo_sim.train("pendulum", method="ars", **wrong)
    for wrong, says in (
        ({"samplings": {}}, 'no "samplings"; did you mean "sampling"'),
        ({"sampling": {"steps_per_frames": 2}}, '"steps_per_frames"; did you mean "steps_per_frame"'),
        ({"loss": "huber"}, "give kind, size by name"),
        ({"weighting": "both"}, '"both" is not one of frames, recordings'),
        ({"tolerance": -1}, "tolerance: -1; give a number above 0"),
    ):
        with pytest.raises(InputError, match=says):
            dojo_sim.fit("pendulum", tmp_path / "none.csv", {}, {}, **wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"recordings\[0\]: is of type dict; give the path of a CSV file"):
        dojo_sim.fit("pendulum", [{"hinge.angle": np.zeros(9)}], {}, {})  # type: ignore[list-item]


def test_a_training_that_made_things_worse_says_so() -> None:
    found = dojo_sim.train("cartpole", method="ars", seed=1, updates=3, step=30.0, starts=3)
    assert found.warnings and "worse than an untrained policy" in found.warnings[0] and "--" not in found.warnings[0]


def test_a_simulation_shows_itself() -> None:
    assert Simulation("pendulum")._repr_html_().startswith('<iframe src="data:text/html;base64,')
