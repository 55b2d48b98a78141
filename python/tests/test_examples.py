"""The examples run, and do what they say."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest


def test_the_first_gradient_lifts_a_robot(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    # from another folder, without arguments; in this process, which has torch already
    monkeypatch.setattr(sys, "argv", ["first_gradient.py"])
    monkeypatch.chdir("/")
    runpy.run_path(str(root / "python/examples/first_gradient.py"), run_name="__main__")
    said = capsys.readouterr().out
    heights = [float(height) for height in re.findall(r"([\d.]+) m$", said, re.MULTILINE)]
    assert len(heights) == 30
    assert heights[-1] > heights[0] + 0.02
    lines = (root / "python/examples/first_gradient.py").read_text().splitlines()
    assert len(lines) <= 25


@pytest.mark.skipif("DOJO_SIM_SLOW" not in os.environ, reason="takes ten seconds: set DOJO_SIM_SLOW to run it")
def test_stable_baselines_trains(root: Path) -> None:
    pytest.importorskip("stable_baselines3")
    command = [sys.executable, str(root / "python/examples/train_sb3.py"), "512"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    assert re.search(r"return before: [\d.]+, after 512 steps: [\d.]+", said)
