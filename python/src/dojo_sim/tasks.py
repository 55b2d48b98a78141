"""Environments of one's own: what is observed and rewarded, as expressions over the quantities of a robot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._values import floats, number, positive, whole
from .errors import InputError
from .expressions import Comparison, Source, source_of, sources_of
from .simulation import Simulation

__all__ = ["EnvironmentData", "environment"]


@dataclass(frozen=True)
class EnvironmentData:
    """An environment as data: ``DojoEnv``, ``DojoVectorEnv`` and ``train`` take it in place of a name."""

    name: str
    #: What the engine reads.
    json: str


def environment(
    name: str,
    robot: Simulation,
    *,
    observation: Source | Sequence[Source],
    reward: Source,
    horizon: int,
    alive: Comparison | str | Sequence[Comparison | str] = (),
    goal: Source | None = None,
    steps_per_action: int = 1,
    action_scale: ArrayLike = 1.0,
    action_offset: ArrayLike | None = None,
    action_limit: ArrayLike | None = None,
    start: str | None = None,
    start_noise: ArrayLike = 0.0,
    relative_kappa: float | None = None,
) -> EnvironmentData:
    """An environment for a robot.

    Parameters
    ----------
    observation
        Expressions, or their text; vectors are observed entry by entry.
    reward
        Of the state after a step. ``q.before`` has the quantities of the state before it, ``q.action`` the action.
    horizon
        Steps of an episode.
    alive
        Inequalities; an episode is over when one of them no longer holds.
    steps_per_action
        Steps of the simulation for each action.
    action_scale, action_offset, action_limit
        The input is offset + scale · action, with actions clipped to ± limit. The offset defaults to what holds the start.
    start, start_noise
        A named state, by default the robot's first, and the half-width of uniform noise on coordinates and rates.

    Examples
    --------
    >>> import dojo_sim
    >>> robot = dojo_sim.Simulation("cartpole")
    >>> q = robot.quantities
    >>> balance = dojo_sim.environment(
    ...     "balance", robot, observation=[q.coordinates, q.rates], reward=q["pole.z"] - 0.01 * abs(q.action) ** 2, horizon=100
    ... )
    """
    mechanism = robot.description
    states = mechanism.get("states") or {}
    chosen = next(iter(states), None) if start is None else start
    if chosen is not None and chosen not in states:
        raise InputError(f'start: there is no state "{chosen}" (have: {", ".join(states) or "none"})')
    offset = robot.held_input(chosen) if action_offset is None else action_offset
    data: dict[str, Any] = {
        "name": str(name),
        "mechanism": mechanism,
        "observation": sources_of("observation", observation),
        "reward": source_of("reward", reward),
        "horizon": whole("horizon", horizon, 1),
        "stepsPerAction": whole("steps_per_action", steps_per_action, 1),
        "actionScale": _numbers("action_scale", action_scale),
        "actionOffset": _numbers("action_offset", offset),
        "startNoise": _numbers("start_noise", start_noise),
    }
    conditions = [alive] if isinstance(alive, (str, Comparison)) else list(alive)
    if conditions:
        data["alive"] = [_margin(f"alive[{index}]", condition) for index, condition in enumerate(conditions)]
    if goal is not None:
        data["goal"] = source_of("goal", goal)
    if action_limit is not None:
        data["actionLimit"] = _numbers("action_limit", action_limit)
    if chosen is not None:
        data["start"] = states[chosen]
    if relative_kappa is not None:
        data["relativeKappa"] = positive("relative_kappa", relative_kappa)
    return EnvironmentData(str(name), json.dumps(data))


def _margin(what: str, condition: Any) -> Any:
    if isinstance(condition, str):
        return condition
    if isinstance(condition, Comparison):
        return source_of(what, condition.margin)
    raise InputError(f"{what}: {condition!r}; give an inequality, such as q['trunk.z'] >= 0.2")


def _numbers(what: str, value: ArrayLike) -> float | list[float]:
    array = np.asarray(value)
    return number(what, value) if array.ndim == 0 else floats(what, value, None).tolist()
