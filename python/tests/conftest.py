"""Shared by all tests: the root of the clone, and engines that end with the tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

import pytest

NIGHTLY = os.environ.get("DOJO_TESTS") == "nightly"
ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(config: pytest.Config, items: "list[pytest.Item]") -> None:
    """Long tests run in `npm run nightly`, or where their file is named."""
    if NIGHTLY:
        return
    named = {Path(argument.split("::")[0]).name for argument in config.args}
    left = [item for item in items if item.get_closest_marker("nightly") and item.path.name not in named]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def own_engine() -> Iterator["object"]:
    """An engine that tests may kill: the next one that needs it gets a fresh one."""
    from dojo_sim import Pool

    pool = Pool(1)
    yield pool
    pool.close()


def is_running(pid: int) -> bool:
    """A process that has ended and was not waited for counts as ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state not in "ZX"
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return not Path("/proc").exists()
