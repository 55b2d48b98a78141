"""Many rollouts at once, shared out among engines on all cores.

Every rollout starts cold and by itself, so that its bits depend neither on its neighbours nor on the number of engines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._frames import Array
from ._tape import Tape, lost_records
from ._values import COORDINATES, Floats, choice, floats, gradient_params, require_room, whole
from .engine import Engine, Question, Reply, ask_all, ask_each
from .errors import EngineError, GradientError, InputError

if TYPE_CHECKING:
    from .simulation import Simulation

__all__ = ["BatchGradient", "Rollouts", "rollouts"]

#: Steps of all rollouts from which more than one engine is worth its messages.
_worth_sharing = 64
#: Engines that a share of a batch may cost.
_most_lives = 2


@dataclass(frozen=True, eq=False)
class BatchGradient:
    """Gradient of a cost of many rollouts, each with respect to its own start, inputs and parameters."""

    #: As the starts, raw: 13 numbers per body, or joint positions and velocities.
    starts: Floats
    inputs: Floats
    #: One column per parameter.
    parameters: Floats


@dataclass(frozen=True, eq=False)
class Rollouts:
    """What many rollouts have led to."""

    #: Rollouts × (steps + 1) × numbers, the starts first, NaN where a step was not solved; rollouts × numbers with ``keep="final"``.
    states: Floats
    #: As many as there are steps, unless it failed.
    solved_steps: Array
    iterations: Array
    #: A line for each rollout that ended early.
    reasons: tuple[str, ...]
    coordinates: str
    _parameters: tuple[str, ...] = field(repr=False)
    #: Numbers of an input.
    _inputs: int = field(repr=False)
    _has_gradients: bool = field(repr=False)
    _tapes: tuple[tuple[slice, Tape], ...] = field(repr=False)

    def __repr__(self) -> str:
        end = "all solved" if self.solved else f"{len(self.reasons)} ended early"
        return f"<{len(self.states)} rollouts, {end}, states {self.states.shape} in {self.coordinates} coordinates>"

    @property
    def solved(self) -> bool:
        return not self.reasons

    def pullback(self, cotangents: ArrayLike) -> BatchGradient:
        """From the gradient with respect to all states to that with respect to starts, inputs and parameters."""
        if not self._has_gradients:
            raise InputError("pullback: these rollouts were made without gradients=True")
        if self.reasons:
            raise GradientError(f"there are no gradients: {self.reasons[0]}")
        given = floats("cotangents", cotangents, *self.states.shape)
        if not self._tapes:
            empty = np.zeros((0, self.states.shape[1] - 1, self._inputs))
            return BatchGradient(np.zeros((0, self.states.shape[2])), empty, np.zeros((0, len(self._parameters))))
        params = {
            "coordinates": self.coordinates,
            "parameters": list(self._parameters),
            "raw": self.coordinates == "maximal",
        }
        calls = [
            (tape.engine, "pullback", tape.request(params), {"cotangents": given[part]}, tape.generation)
            for part, tape in self._tapes
        ]
        with lost_records():
            replies = ask_all(calls)
        joined = {name: np.concatenate([arrays[name] for _, arrays in replies]) for name in ("state", "inputs", "parameters")}
        return BatchGradient(joined["state"], joined["inputs"], joined["parameters"])


def rollouts(
    simulation: Simulation,
    starts: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    steps: int | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    coordinates: str = "maximal",
    keep: str = "all",
    gradients: bool = False,
    kappa: float | None = None,
    relative_kappa: float | None = None,
    smoothing: float | None = None,
    exact: bool = False,
    check: bool = True,
) -> Rollouts:
    """See ``Simulation.rollouts``."""
    choice("coordinates", coordinates, COORDINATES)
    choice("keep", keep, ("all", "final"))
    size = state_size(simulation, coordinates)
    first = floats("starts", starts)
    if first.ndim == 1:
        first = first[None]
    first = floats("starts", first, None, size)
    rows = None if inputs is None else floats("inputs", inputs)
    if rows is not None:
        rows = rows[None] if rows.ndim == 2 else rows
        rows = floats("inputs", rows, None, steps, simulation.input_size)
        steps = rows.shape[1]
    if steps is None:
        raise InputError("rollouts: say how many steps, or give inputs of rollouts × steps × inputs")
    steps = whole("steps", steps)
    names = tuple(parameters or ())
    columns = [np.atleast_1d(floats(name, value)) for name, value in (parameters or {}).items()]
    for name, column in zip(names, columns):
        if column.ndim > 1 or not np.isfinite(column).all():
            raise InputError(f"{name}: has the shape {column.shape}; give a finite number, or one per rollout")
    counts = [len(part) for part in (first, rows, *columns) if part is not None]
    count = 0 if 0 in counts else max(counts)
    if any(n not in (1, count) for n in counts):
        raise InputError(f"starts, inputs and parameters are of {', '.join(map(str, counts))} rollouts; give one for all, or all")
    values = np.stack(np.broadcast_arrays(*columns), axis=-1) if columns else None
    if exact and kappa is None:
        raise InputError("exact: say at which kappa, in SI, the steps are to end")
    if keep == "final" and gradients:
        raise InputError('gradients: they need keep="all"')

    rows_kept = steps + 1 if keep == "all" else 1
    if count == 0:
        shape = (0, rows_kept, size) if keep == "all" else (0, size)
        none = np.zeros(0, np.int32)
        return Rollouts(
            np.zeros(shape), none, none, (), coordinates, names, simulation.input_size, gradients, ()
        )

    def part_of(array: Floats, part: slice) -> Floats:
        return array if len(array) == 1 else array[part]

    engines = simulation.pool.engines if count > 1 and count * steps >= _worth_sharing else [simulation.pool.first]
    parts = [part for part in _shares(count, len(engines)) if part.stop > part.start]
    require_room("the states", max(part.stop - part.start for part in parts), rows_kept, size)

    def question(part: slice, engine: Engine) -> Question:
        generation, number = simulation._place(engine, kappa if exact else None)
        params = {
            "simulation": number,
            "count": part.stop - part.start,
            "steps": steps,
            "coordinates": coordinates,
            "keep": keep,
            "parameters": list(names),
            "gradients": gradients,
            "unchecked": not check,
            **gradient_params(kappa, relative_kappa, smoothing),
        }
        arrays = {"starts": part_of(first, part)}
        if rows is not None:
            arrays["inputs"] = part_of(rows, part)
        if values is not None:
            arrays["values"] = part_of(values, part)
        return engine, "rollouts", params, arrays, generation

    calls, replies = _answered([(part, engine) for part, engine in zip(parts, engines)], question)
    reasons = []
    for part, (result, _) in zip(parts, replies):
        reasons += [_counted(reason, part.start) for reason in result["reasons"]]
    joined = {name: _joined([arrays[name] for _, arrays in replies]) for name in ("states", "solvedSteps", "iterations")}
    tapes = tuple(
        (part, Tape(call[0], call[4], result["tape"])) for part, call, (result, _) in zip(parts, calls, replies) if gradients
    )
    return Rollouts(
        joined["states"],
        joined["solvedSteps"],
        joined["iterations"],
        tuple(reasons),
        coordinates,
        names,
        simulation.input_size,
        gradients,
        tapes,
    )


def _answered(
    shares: Sequence[tuple[slice, Engine]], question: Callable[[slice, Engine], Question]
) -> tuple[list[Question], list[Reply]]:
    """Questions and their answers. A share whose engine ends is asked for again, of the fresh engine in its place."""
    done: dict[int, tuple[Question, Reply]] = {}
    lost: dict[int, EngineError] = {}
    for _ in range(_most_lives):
        open_shares = [k for k in range(len(shares)) if k not in done]
        if not open_shares:
            break
        calls = [question(*shares[k]) for k in open_shares]
        for k, call, outcome in zip(open_shares, calls, ask_each(calls)):
            if isinstance(outcome, EngineError):
                lost[k] = outcome
            else:
                done[k] = call, outcome
    for k, (part, _) in enumerate(shares):
        if k not in done:
            raise EngineError(f"{_most_lives} engines ended with rollouts {part.start} to {part.stop - 1}; the last: {lost[k]}")
    return [done[k][0] for k in range(len(shares))], [done[k][1] for k in range(len(shares))]


def state_size(simulation: Simulation, coordinates: str) -> int:
    """Numbers of a state in these coordinates."""
    return simulation.state_size if coordinates == "maximal" else 2 * len(simulation.coordinate_names)


def _shares(count: int, engines: int) -> list[slice]:
    ends = [count * k // engines for k in range(engines + 1)]
    return [slice(a, b) for a, b in zip(ends, ends[1:])]


def _joined(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _counted(reason: tuple[int, str] | list[Any], offset: int) -> str:
    """A failure by the rollout's place among all."""
    number, text = reason
    return f"rollout {int(number) + offset} {text}"
