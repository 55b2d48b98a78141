"""Fits: the same files give the same numbers in Python, by the library and on the command line, and warnings are heard."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dojo_sim
from dojo_sim import DojoWarning, Simulation
from dojo_sim._locate import engine_script, node

CORNERS = [(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
PARAMETERS = {"friction": {"start": 0.5, "lower": 0}}
VALUES = {"contacts.*.frictionCoefficient": "friction"}


def crate(friction: float, slope: float = 0.0) -> dict[str, Any]:
    return {
        "timestep": 0.01,
        "gravity": [9.81 * math.sin(slope), 0, -9.81 * math.cos(slope)],
        "bodies": {"crate": {"mass": 1, "inertia": [[0.0042, 0, 0], [0, 0.0042, 0], [0, 0, 0.0067]]}},
        "joints": {"base": {"kind": "floating", "parent": "world", "child": "crate"}},
        "contacts": [{"body": "crate", "point": [x, y, -0.05], "frictionCoefficient": friction} for x, y in CORNERS],
    }


def recorded(folder: Path, description: dict[str, Any], speeds: list[float], noise: float) -> list[Path]:
    """Crates that begin at these speeds, as sensors with noise see them."""
    random = np.random.default_rng(1)
    simulation = Simulation(description)
    paths = []
    for index, speed in enumerate(speeds):
        start = simulation.state()
        start[:3], start[7] = [0, 0, 0.05], speed
        states = simulation.rollout(start, steps=60).states
        poses = states[:, :7] + noise * random.standard_normal((len(states), 7))
        poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
        rows = [",".join(map(repr, [0.01 * k, *pose.tolist()])) for k, pose in enumerate(poses)]
        paths.append(folder / f"{index}.csv")
        paths[-1].write_text("\n".join(["time,x,y,z,qw,qx,qy,qz", *rows]))
    return paths


def test_the_same_files_give_the_same_numbers_three_ways(root: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    files = recorded(logs, crate(0.37), [1.2, 1.5], 1e-3)
    model, ties = tmp_path / "crate.json", tmp_path / "ties.json"
    model.write_text(Simulation(crate(0.5))._current_description())
    ties.write_text(json.dumps({"parameters": PARAMETERS, "values": VALUES}))

    here = dojo_sim.fit(model, files, PARAMETERS, VALUES)
    value, ends = here.values["friction"], here.intervals["friction"]
    assert ends is not None and ends[0] < 0.37 < ends[1] and ends[1] - ends[0] < 0.1

    def told(*command: str | Path) -> dict[str, Any]:
        run = subprocess.run([node(), *map(str, command)], cwd=root, capture_output=True, text=True, check=True)
        said: dict[str, Any] = json.loads(run.stdout)
        return said

    library = told("--import", "tsx", "test/python/nodeFit.ts", model, ties, *files)
    line = told(engine_script(), "identify", "--data", logs, "--model", model, "--parameters", ties, "--json")
    for found in library, line:
        assert found["parameters"]["friction"]["value"] == value
        # the ends of the command line differ in the last digit
        assert found["parameters"]["friction"]["interval"] == pytest.approx(ends, rel=1e-12)
    assert list(here.warnings) == library["warnings"]
    # that no recording is left to score on is of the command alone
    assert [one["message"] for one in line["warnings"] if one["code"] != "nothing-held-out"] == library["warnings"]


def test_warnings_of_a_fit_are_heard(tmp_path: Path) -> None:
    files = recorded(tmp_path, crate(0.37), [1.2], 1e-3)
    with pytest.warns(DojoWarning, match="windows start in contact") as heard:
        found = dojo_sim.fit(crate(0.5), files, PARAMETERS, VALUES, starts="fixed")
    assert [str(one.message) for one in heard] == list(found.warnings)
    assert {one.filename for one in heard} == {__file__}


def test_an_interval_may_have_no_upper_end(tmp_path: Path) -> None:
    files = recorded(tmp_path, crate(0.6, slope=0.26), [0.0], 0.0)
    with pytest.warns(DojoWarning, match=r"not determined by these data: any above 0\.26\d* predicts them as well"):
        found = dojo_sim.fit(crate(0.6, slope=0.26), files, PARAMETERS, VALUES)
    ends = found.intervals["friction"]
    assert ends is not None and ends[0] == pytest.approx(math.tan(0.26), abs=0.01) and ends[1] == math.inf
