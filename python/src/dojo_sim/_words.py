"""Names: the engine's are in camelCase, those of keywords here in snake_case."""

from __future__ import annotations

import re
from typing import Any, Callable, Mapping

#: What the engine's messages say, in the words of Python. Names of bodies and paths of parameters are the same in both.
_said: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"projectState\(simulation, state\)", "simulation.project_state(state)"),
    (r"maximalState\(mechanism\)", "simulation.state()"),
    (r"\{ check: (false|true) \}", lambda found: f"check={found.group(1).capitalize()}"),
    (r"new Float64Array\((\d+)\)", lambda found: f"np.zeros({found.group(1)})"),
    (r"`gradients: true`", "gradients=True"),
    (r"\bparameterNames lists all, and so does dojo inspect --names", "list(simulation.parameters) has all"),
    (r"\bquantityNames lists all, and so does dojo inspect --names", "list(simulation.quantities) has all"),
    (r"maximalState or stateAt", "simulation.state or simulation.maximal"),
    (r"; a state from another time step goes through simulation\.changeTimestep", ""),
    (r"\bsetParameters\b", "parameters.update"),
    (r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)", lambda found: found.group(1).replace("-", "_")),
    (r"\boptions\.(?=[a-z])", ""),
    (r"`dojo list` shows all", "dojo_sim.models() has all"),
    (r"\bundefined\b", "None"),
    (
        r"\b(relativeKappa|maxIterations|hiddenUnits|largestNorm|skipFrom|criticStep|criticFits|stepsPerFrame|startFrames|clipReward)\b",
        lambda found: snake(found.group(1)),
    ),
]


#: What importers advise, in the keywords of ``Simulation``. Names of files and links are left alone.
_advised: list[tuple[str, str]] = [
    (r'\b\w+: (?:"\w+"|true) \(--([a-z]+) (\w+)\)', r'\1="\2"'),
    (r'\bbase: "(fixed|floating)"', r'base="\1"'),
    (r"\bimu, touch, jointWrench and jointStates\b", "imu, touch, joint_wrench and minimal"),
]


def advice_in_python(warning: str) -> str:
    """An importer's warning with what it advises as one does it here."""
    for pattern, words in _advised:
        warning = re.sub(pattern, words, warning)
    return warning


def in_python(message: str) -> str:
    """A message of the engine with what it says to do as one does it here."""
    for pattern, words in _said:
        message = re.sub(pattern, words, message)
    return message


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter.group().lower()}", name)


def camel(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])_([a-z])", lambda letter: letter.group(1).upper(), name)


def engine_names(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings under the engine's names; both spellings will do."""
    return {camel(name): value for name, value in settings.items()}
