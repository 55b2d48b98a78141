"""Work that takes long, with progress: planning, training, identification.

Each returns when it is done; ``on_progress`` hears of every iteration, and ends the work by returning False, which keeps what
there is. ``Run`` is the same in steps: iterate over it, and ask for its ``result``.
"""

from __future__ import annotations

import json
import math
import os
import warnings
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Generic, Iterator, Mapping, Sequence, TypeVar

from numpy.typing import ArrayLike

from ._frames import Array
from ._pickling import no_pickle
from ._values import Floats, floats, number, positive, whole
from ._words import engine_names, in_python
from .engine import Engine, default_pool
from .errors import DojoWarning, EngineError, EngineReplaced, InputError, spelt_as
from .simulation import Simulation
from .expressions import Comparison, Source, source_of, sources_of
from .tasks import EnvironmentData

__all__ = ["Fit", "Plan", "Run", "Training", "fit", "plan", "plan_tasks", "train", "training"]

Progress = Mapping[str, Any]
OnProgress = Callable[[dict[str, Any]], object]
R = TypeVar("R")


class Run(Generic[R]):
    """A run that pauses after each iteration: ``for progress in run: ...``, then ``run.result``."""

    def __init__(
        self,
        kind: str,
        params: Mapping[str, Any],
        result: Callable[[dict[str, Any], dict[str, Array]], R],
        engine: Engine | None,
        *settings: Mapping[str, Any],
        arrays: Mapping[str, Array] = {},
    ) -> None:
        """``settings`` are those among ``params`` that have other names in the engine."""
        self._engine = engine or default_pool().first
        self._settings = settings
        with spelt_as(*settings), self._engine.held():
            opened, _ = self._engine.call("run.open", {"kind": kind, **params}, arrays)
            self._generation = self._engine.generation
        self._number: int = opened["run"]
        self._make = result
        self._result: R | None = None
        self._ends = False
        weakref.finalize(self, self._engine.retire, self._generation, self._number)

    __reduce__ = no_pickle("a run goes on in its engine and cannot be pickled; its result can")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self

    def __next__(self) -> dict[str, Any]:
        if self._result is not None:
            raise StopIteration
        question = {"run": self._number, "end": self._ends}
        try:
            with spelt_as(*self._settings):
                result, arrays = self._engine.call("run.next", question, generation=self._generation)
        except EngineReplaced:
            raise EngineError("the run was lost with its engine; start it again") from None
        if result.pop("done"):
            self._result = self._make(result, arrays)
            raise StopIteration
        progress: dict[str, Any] = result["progress"]
        return progress

    def end(self) -> None:
        """Ends after this iteration, with what there is."""
        self._ends = True

    @property
    def result(self) -> R:
        """What came of it; goes on to the end first."""
        for _ in self:
            pass
        assert self._result is not None
        return self._result

    def finish(self, on_progress: OnProgress | None = None) -> R:
        for progress in self:
            if on_progress is not None and on_progress(progress) is False:
                self.end()
        return self.result


@dataclass(frozen=True, eq=False)
class Plan:
    """Inputs that do a task."""

    task: str
    solved: bool
    cost: float
    violation: float
    iterations: int
    seconds: float
    #: Why it is not solved; None where it is.
    reason: str | None
    timestep: float
    start: Floats
    #: One row per step.
    inputs: Floats
    #: Of the bodies at every knot.
    states: Floats
    #: Of every step, inputs × minimal state: u + K (x − x_plan) keeps to the plan.
    gains: Floats
    #: What ``dojo simulate --plan`` reads.
    json: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan, whole or not at all."""
        part = f"{os.fspath(path)}.{os.getpid()}.part"
        with open(part, "w") as file:
            file.write(self.json)
        os.replace(part, path)

    def simulation(self) -> Simulation:
        """The mechanism that it is for."""
        return Simulation(json.loads(self.json)["description"], timestep=self.timestep)


def plan_tasks() -> dict[str, str]:
    """Tasks that can be planned, with a line about each."""
    listed, _ = default_pool().first.call("list")
    return {task["name"]: task["summary"] for task in listed["tasks"]}


def plan(
    task: str | Simulation,
    *,
    seconds: float | None = None,
    reach: Mapping[str, float] | None = None,
    keep: str | Sequence[str] = (),
    effort: float | None = None,
    cost: Source | Sequence[Source] | Mapping[str, Source] | None = None,
    constraints: Comparison | str | Sequence[Comparison | str] | Mapping[str, Comparison] = (),
    start: ArrayLike | None = None,
    input: ArrayLike | None = None,
    kappa: float | None = None,
    tolerance: float | None = None,
    max_iterations: int | None = None,
    on_progress: OnProgress | None = None,
    engine: Engine | None = None,
) -> Plan:
    """Plans one of ``plan_tasks()``, or a goal for a simulation: trajectory optimisation through contact.

    Parameters
    ----------
    seconds
        How long the motion takes.
    reach
        Values of quantities at the end, held exactly: ``{"trunk.z": 0.35, "trunk.velocity": 0}``.
    keep
        What costs to leave its place at the start: "feet" (what touches then), bodies, quantities.
    effort
        Weight of (input − what holds the start)² per step. Default 1e-4.
    cost
        Sums of squares, as expressions or text; by knots in a mapping: ``{"running": 1e-3 * abs(q.input) ** 2, "final": ...}``.
    constraints
        Equations and inequalities, ``q["foot.z"] >= 0.02``, or text, ``"final: trunk.velocity = 0"``; by knots in a mapping.
    start, input
        State at the start, by default the simulation's first; the input of the first guess, by default what holds the start.

    Examples
    --------
    >>> import dojo_sim
    >>> robot = dojo_sim.Simulation("cartpole")
    >>> dojo_sim.plan(robot, seconds=1, reach={"rail.slide": 1, "rail.slide.rate": 0}).solved
    True
    """
    params: dict[str, Any] = {"kappa": kappa, "tolerance": tolerance, "maxIterations": max_iterations}
    arrays: dict[str, Array] = {}
    if isinstance(task, Simulation):
        if seconds is None:
            raise InputError("seconds: say how long the motion takes")
        params["description"] = task._current_description()
        arrays["start"] = task.state() if start is None else floats("start", start, task.state_size)
        if input is not None:
            arrays["input"] = floats("input", input, task.input_size)
        goal = {
            "name": task.name,
            "seconds": positive("seconds", seconds),
            "reach": {name: number(f"reach[{name!r}]", value) for name, value in (reach or {}).items()},
            "keep": [keep] if isinstance(keep, str) else list(keep),
            "effort": None if effort is None else number("effort", effort),
            "cost": None if cost is None else _costs(cost),
            "constraints": _constraints(constraints),
        }
        params["goal"] = _given(goal)
    else:
        own = {"seconds": seconds, "reach": reach, "keep": keep or None, "effort": effort, "cost": cost, "start": start, "input": input}
        given = next((name for name, value in own.items() if value is not None), None)
        if given is not None:
            raise InputError(f"{given}: a named task has its goal; give a simulation in place of {task!r}")
        params["task"] = task

    def result(found: dict[str, Any], arrays: dict[str, Array]) -> Plan:
        steps, inputs = arrays["inputs"].shape
        return Plan(
            found["task"],
            found["solved"],
            found["cost"],
            found["violation"],
            found["iterations"],
            found["seconds"],
            _said(found.get("reason")),
            found["timestep"],
            arrays["start"],
            arrays["inputs"],
            arrays["states"],
            arrays["gains"].reshape(steps, inputs, -1) if arrays["gains"].size else arrays["gains"],
            found["json"],
        )

    return Run("plan", _given(params), result, engine, arrays=arrays).finish(on_progress)


#: At which knots a cost or a constraint counts.
_knots = ("always", "running", "final")


def _knot(what: str, knot: Any) -> str | int:
    if knot in _knots:
        return str(knot)
    try:
        return whole(what, knot)
    except InputError:
        raise InputError(f'{what}: {knot!r}; give "always", "running", "final" or the number of a knot') from None


def _costs(cost: Any) -> list[Any]:
    if isinstance(cost, Mapping):
        return [{"cost": source_of(f"cost[{knot!r}]", part), "at": _knot("cost", knot)} for knot, part in cost.items()]
    return sources_of("cost", cost)


def _constraints(constraints: Any) -> list[Any]:
    if isinstance(constraints, Mapping):
        return [_constraint(f"constraints[{knot!r}]", part, _knot("constraints", knot)) for knot, part in constraints.items()]
    parts = constraints if isinstance(constraints, (list, tuple)) else [constraints]
    return [_constraint(f"constraints[{index}]", part, "always") for index, part in enumerate(parts)]


def _constraint(what: str, constraint: Any, at: str | int) -> Any:
    if isinstance(constraint, str) and at == "always":
        return constraint
    if isinstance(constraint, Comparison):
        return {"difference": source_of(what, constraint.difference), "sign": constraint.sign, "at": at}
    raise InputError(f"{what}: {constraint!r}; give an equation or inequality, such as q['foot.z'] >= 0.02")


@dataclass(frozen=True, eq=False)
class Training:
    """A trained policy."""

    #: As JSON, which ``dojo`` reads.
    policy: str
    #: Of each update.
    returns: Floats
    #: Evaluations up to each update.
    spent: Floats
    evaluations: int
    #: Updates that were left out.
    skipped: int
    #: Why the run was ended early; None where it was not.
    divergence: str | None
    #: Mean return over starts that training has not seen, where it was asked for.
    score: float | None
    #: With a score: whether training has made things worse, and what to try. ``train`` says it by ``warnings`` too.
    warnings: tuple[str, ...]


def training(
    environment: str | EnvironmentData,
    *,
    method: str | None = None,
    seed: int = 1,
    starts: int = 0,
    options: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
    **settings: Any,
) -> Run[Training]:
    """A training that pauses after each update."""
    params = {
        **({"data": environment.json} if isinstance(environment, EnvironmentData) else {"environment": environment}),
        "method": method,
        "seed": whole("seed", seed),
        "starts": whole("starts", starts),
        "options": engine_names(options or {}),
        "settings": engine_names(settings),
    }

    def result(found: dict[str, Any], arrays: dict[str, Array]) -> Training:
        return Training(
            found["policy"],
            arrays["returns"],
            arrays["spent"],
            found["evaluations"],
            found["skipped"],
            _said(found["divergence"]),
            found["score"],
            tuple(map(in_python, found["warnings"])),
        )

    return Run("train", params, result, engine, settings, options or {})


def train(
    environment: str | EnvironmentData,
    *,
    method: str | None = None,
    seed: int = 1,
    starts: int = 0,
    options: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
    engine: Engine | None = None,
    **settings: Any,
) -> Training:
    """Trains a policy in an environment, named or of one's own, by the engine's own methods ("ags", "ars", "random", "shac"), on all cores.

    Without ``method`` it takes the one that suits the environment: "ags", for the pendulum "ars".

    ``settings`` are the method's: ``policy="network"``, ``updates=35``, ``hidden_units=32`` and so on, as docs/learning.md has them.
    With ``starts`` the policy is scored over so many starts that training has not seen, and compared with an untrained one if need be.
    """
    run = training(environment, method=method, seed=seed, starts=starts, options=options, engine=engine, **settings)
    trained = run.finish(on_progress)
    _warn(trained.warnings)
    return trained


@dataclass(frozen=True, eq=False)
class Fit:
    """Parameters found from recordings."""

    values: dict[str, float]
    #: 95%. An end is infinite where the data say nothing to that side; None where they determine neither, and where the search has stalled.
    intervals: dict[str, tuple[float, float] | None]
    cost: float
    iterations: int
    #: "converged", "stalled", "failedWindows", "iterationLimit" or "ended".
    end: str
    warnings: tuple[str, ...]
    #: Root of the mean squared residual, in standard deviations of the noise.
    residual: float


def fit(
    model: Simulation | str | os.PathLike[str] | Mapping[str, Any],
    recordings: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    parameters: str | Sequence[str] | Mapping[str, Mapping[str, float]],
    values: Mapping[str, str] | None = None,
    *,
    body: str | None = None,
    rate: float | None = None,
    max_iterations: int | None = None,
    on_progress: OnProgress | None = None,
    engine: Engine | None = None,
    measured: Mapping[str, Any] | None = None,
    **how: Any,
) -> Fit:
    """Identifies parameters from recorded motions (CSV files), by least squares on the engine's own derivatives.

    ``parameters`` are names, ``["bodies.rod.massAndInertia", "joints.hinge.damping.0"]``, which begin at what the simulation has now.
    Or they are one's own, ``{"friction": {"start": 0.2, "lower": 0.01}}``, and ``values`` says what they set, by formulas,
    ``{"contacts.*.frictionCoefficient": "friction"}``; all else is as the simulation has it now. ``how`` has the rest of a
    fit: ``sampling``, ``starts``, ``noise``, ``loss``, ``weighting``, ``tolerance``, ``schedule``, ``intervals``. By default it is that
    of ``dojo identify``: windows of 20 frames, with starts that are found too. What to look at comes as ``DojoWarning``, too.
    """
    paths = [recordings] if isinstance(recordings, (str, os.PathLike)) else list(recordings)
    if not paths:
        raise InputError("recordings: give the path of one file at least")
    for index, path in enumerate(paths):
        if not isinstance(path, (str, os.PathLike)):
            kind = type(path).__name__
            raise InputError(f"recordings[{index}]: is of type {kind}; give the path of a CSV file, and write arrays into one")
    simulation = model if isinstance(model, Simulation) else Simulation(model)
    chosen: dict[str, Any]
    if isinstance(parameters, Mapping):
        if values is None:
            raise InputError("values: say by formulas what the parameters set, or give the names of parameters alone")
        own: dict[str, Any] = {"parameters": dict(parameters), "values": dict(values)}
        if measured is not None:
            own["measured"] = dict(measured)
        chosen = {"set": own}
    else:
        if values is not None or measured is not None:
            raise InputError("values: parameters that are given by name set themselves; leave values and measured out")
        chosen = {"names": [parameters] if isinstance(parameters, str) else [str(name) for name in parameters]}
        if not chosen["names"]:
            raise InputError("parameters: give the name of one at least")
    params = {
        "description": simulation._current_description(),
        "recordings": [os.path.abspath(path) for path in paths],
        **chosen,
        "body": body,
        "rate": rate,
        "maxIterations": max_iterations,
        "how": {name: engine_names(part) if isinstance(part, Mapping) else part for name, part in engine_names(how).items()},
    }

    def result(found: dict[str, Any], _: dict[str, Array]) -> Fit:
        each = found["parameters"]
        return Fit(
            {name: entry["value"] for name, entry in each.items()},
            {name: _interval(entry["interval"]) for name, entry in each.items()},
            found["cost"],
            found["iterations"],
            found["end"],
            tuple(in_python(warning["message"]) for warning in found["warnings"]),
            found["residual"],
        )

    given = (how, *(part for part in how.values() if isinstance(part, Mapping)))
    found = Run("identify", _given(params), result, engine, *given).finish(on_progress)
    _warn(found.warnings)
    return found


def _warn(messages: Sequence[str]) -> None:
    """Tells whoever called ``fit`` or ``train``."""
    for message in messages:
        warnings.warn(message, DojoWarning, stacklevel=3)


def _interval(ends: Sequence[float | None] | None) -> tuple[float, float] | None:
    """JSON has null for an infinite end."""
    if ends is None:
        return None
    low, high = ends
    return (-math.inf if low is None else low, math.inf if high is None else high)


def _said(words: str | None) -> str | None:
    return None if words is None else in_python(words)


def _given(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}
