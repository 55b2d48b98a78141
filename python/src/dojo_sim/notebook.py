"""Simulations in notebooks."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import tempfile
import weakref
import webbrowser
from typing import TYPE_CHECKING, Any, Mapping

from ._locate import engine_script, node
from .errors import EngineError

if TYPE_CHECKING:
    from .simulation import Simulation

__all__ = ["View", "framed", "view"]


def framed(page: str, height: int = 480) -> str:
    """A page inside another: it keeps its scripts and styles to itself."""
    data = base64.b64encode(page.encode()).decode()
    return f'<iframe src="data:text/html;base64,{data}" width="100%" height="{height}" style="border:0" allowfullscreen></iframe>'


class View:
    """A playground that runs on this machine until it is closed, or Python ends."""

    def __init__(self, address: str, process: subprocess.Popen[str]) -> None:
        self.address = address
        self._process = process
        self._finalizer = weakref.finalize(self, _end, process)

    def close(self) -> None:
        self._finalizer()

    def __repr__(self) -> str:
        return f"<View at {self.address}>"

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.address}" width="100%" height="640" style="border:0" allowfullscreen></iframe>'


def view(
    model: Simulation | str | os.PathLike[str] | Mapping[str, Any] | None = None, *, open_browser: bool = True
) -> View:
    """Opens the live playground with a simulation in it, as it is now, on loopback. In a notebook the returned object shows itself.

    What makes a simulation will do too: a model's name, a path, a description.
    """
    from .simulation import Simulation

    simulation = model if model is None or isinstance(model, Simulation) else Simulation(model)
    command = [node(), str(engine_script()), "view", "--port", "0", "--no-open", "--until-input-ends"]
    with tempfile.TemporaryDirectory() as folder:
        if simulation is not None:
            path = os.path.join(folder, f"{_plain(simulation.name)}.json")
            with open(path, "w") as file:
                file.write(simulation._current_description())
            command.insert(3, path)
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        assert process.stdout is not None
        said = process.stdout.readline()
    found = re.search(r"http://\S+", re.sub(r"\x1b\[[\d;]*m", "", said))
    if found is None:
        _end(process)
        raise EngineError(f"the playground could not be started; it said: {said.strip() or 'nothing'}")
    shown = View(found.group(), process)
    if open_browser:
        webbrowser.open(shown.address)
    return shown


def _end(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _plain(name: str) -> str:
    return re.sub(r"[^\w-]", "_", name) or "simulation"
