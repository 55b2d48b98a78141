"""The examples run, and do what they say."""

from __future__ import annotations

import re
import runpy
import sys
import tempfile
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


@pytest.mark.nightly
def test_stable_baselines_trains(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("stable_baselines3")
    # its logger leaves a folder among the temporary files
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # one round of PPO in two environments, in this process, which has loaded PyTorch for other tests
    monkeypatch.setattr(sys, "argv", ["train_sb3.py", "128", "2"])
    made = runpy.run_path(str(root / "python/examples/train_sb3.py"), run_name="__main__")
    said = re.search(r"return before: ([\d.]+), after 128 steps: ([\d.]+)", capsys.readouterr().out)
    assert said is not None
    assert all(0 < float(found) <= 200 for found in said.groups())
    model = made["model"]
    assert model.num_timesteps == 128
    fresh = made["PPO"]("MlpPolicy", made["environments"], seed=0)
    pairs = zip(model.policy.parameters(), fresh.policy.parameters())
    assert any((trained != first).any() for trained, first in pairs)
