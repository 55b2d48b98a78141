"""The package as users get it: one version, types, and a wheel that works by itself."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import dojo_sim


def backend(root: Path) -> object:
    spec = importlib.util.spec_from_file_location("dojo_build", root / "python/backend/dojo_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_client_and_engine_have_one_version_and_the_wheel_its_libraries(root: Path) -> None:
    manifest = json.loads((root / "package.json").read_text())
    assert manifest["version"] == dojo_sim.__version__
    assert sorted(backend(root).LIBRARIES) == sorted(manifest["dependencies"])  # type: ignore[attr-defined]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="reads TOML")
def test_the_wheel_says_what_pyproject_says(root: Path) -> None:
    import tomllib

    project = tomllib.loads((root / "python/pyproject.toml").read_text())["project"]
    said = backend(root)._metadata  # type: ignore[attr-defined]
    assert f"Summary: {project['description']}" in said
    assert f"Requires-Python: {project['requires-python']}" in said
    for requirement in project["dependencies"]:
        assert f"Requires-Dist: {requirement}\n" in said
    for extra, requirements in project["optional-dependencies"].items():
        for requirement in requirements:
            assert f'Requires-Dist: {requirement}; extra == "{extra}"' in said


def test_the_types_are_strict(root: Path) -> None:
    for needed in ("mypy", "gymnasium", "torch", "jax"):
        pytest.importorskip(needed)
    # what it knows of torch and JAX takes a minute to find out, and is kept
    cache = Path(sys.prefix) / "mypy" if sys.prefix != sys.base_prefix else root / ".tmp/mypy"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), "src/dojo_sim"], cwd=root / "python", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_a_wheel_works_by_itself(root: Path, tmp_path: Path) -> None:
    name = backend(root).build_wheel(str(tmp_path))  # type: ignore[attr-defined]
    assert name == f"dojo_sim-{dojo_sim.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(tmp_path / name) as wheel:
        names = wheel.namelist()
        wheel.extractall(tmp_path / "site")
        licences = wheel.read(f"dojo_sim-{dojo_sim.__version__}.dist-info/licenses/licences.txt").decode()
    assert "dojo_sim/py.typed" in names
    assert not [entry for entry in names if "mujoco" in entry.lower() or entry.endswith((".map", ".d.ts"))]
    assert "commander" in licences and "xmldom" in licences and "three" in licences
    assert (tmp_path / name).stat().st_size < 4e6
    program = """
import dojo_sim
assert dojo_sim.__file__.startswith(SITE), dojo_sim.__file__
simulation = dojo_sim.Simulation("pendulum")
assert simulation.rollout(steps=3).html().startswith("<!doctype html>")
try:
    import gymnasium
except ImportError:
    pass
else:
    gymnasium.make("dojo_sim/Pendulum-v0").reset(seed=1)
print("fine")
"""
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        [sys.executable, "-c", program.replace("SITE", repr(str(tmp_path)))], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.stdout == "fine\n", done.stderr
