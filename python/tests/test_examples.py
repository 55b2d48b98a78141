"""The examples run, and do what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


def run(root: Path, name: str, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, str(root / "python/examples" / name), *args], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_gradient_lifts_a_robot(root: Path) -> None:
    pytest.importorskip("torch")
    said = run(root, "first_gradient.py", str(root / "test/fixtures/quadruped.urdf"))
    heights = [float(height) for height in re.findall(r"([\d.]+) m$", said, re.MULTILINE)]
    assert len(heights) == 30
    assert heights[-1] > heights[0] + 0.02
    lines = (root / "python/examples/first_gradient.py").read_text().splitlines()
    assert len(lines) <= 25


@pytest.mark.skipif("DOJO_SIM_SLOW" not in os.environ, reason="ten seconds: .ci/run sets DOJO_SIM_SLOW")
def test_stable_baselines_trains(root: Path) -> None:
    pytest.importorskip("stable_baselines3")
    said = run(root, "train_sb3.py", "512")
    assert re.search(r"return before: [\d.]+, after 512 steps: [\d.]+", said)
