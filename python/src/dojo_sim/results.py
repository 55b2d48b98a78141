"""What steps, rollouts and gradients give back.

Two of them are equal if they are the same object: compare their arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ._frames import Array
from ._tape import Tape
from ._values import COORDINATES, Floats, choice, floats, names_of, number, place
from .errors import InputError
from .expressions import Source, source_of

if TYPE_CHECKING:
    from .simulation import Simulation

__all__ = [
    "BodyState",
    "ContactForces",
    "GradientCheck",
    "GradientCorner",
    "Linearization",
    "Pullback",
    "StepGradients",
    "StepResult",
    "Touches",
    "Trajectory",
]


#: Numbers of a body in a state: position 3, orientation 4, velocity 3, angular velocity 3.
BODY_STATE_SIZE = 13
ORIENTATION = slice(3, 7)


@dataclass(frozen=True, eq=False)
class BodyState:
    """Views into one state, or into all of a trajectory: the last axis is that of the numbers."""

    position: Floats
    #: Scalar first.
    orientation: Floats
    velocity: Floats
    #: In the body's frame.
    angular_velocity: Floats

    @staticmethod
    def of(states: Floats, index: int) -> BodyState:
        part = states[..., BODY_STATE_SIZE * index : BODY_STATE_SIZE * (index + 1)]
        return BodyState(part[..., 0:3], part[..., ORIENTATION], part[..., 7:10], part[..., 10:])


@dataclass(frozen=True, eq=False)
class ContactForces:
    """Forces of all contacts, in the order of ``names``; of a trajectory with one row per step before them."""

    names: tuple[str, ...]
    #: N.
    normal: Floats
    #: Along two tangents, N.
    friction: Floats
    #: On the body, in the world's frame, N.
    force: Floats
    #: After the step, m.
    distance: Floats

    def __getitem__(self, name: str) -> ContactForces:
        """Those of one contact."""
        at = place("contact", name, self.names)
        axis = self.normal.ndim - 1
        pick = [np.take(array, at, axis) for array in (self.normal, self.friction, self.force, self.distance)]
        return ContactForces((name,), *pick)


@dataclass(frozen=True, eq=False)
class Touches:
    """Where shapes touch each other in a step, or nearly do: one entry per place.

    ``body`` always moves; ``other`` may be "world". A place that is near and does not press has a force next to zero.
    """

    body: tuple[str, ...]
    other: tuple[str, ...]
    #: Shapes by name within their bodies.
    shape: tuple[str, ...]
    other_shape: tuple[str, ...]
    #: On the body, in the world's frame, where the step begins.
    point: Floats
    #: From other to body, in the world's frame.
    normal: Floats
    #: On the body, in the world's frame, N.
    force: Floats
    #: Its part along the normal, N.
    normal_force: Floats
    #: After the step, m.
    distance: Floats

    def __len__(self) -> int:
        return len(self.body)

    def between(self, one: str, two: str) -> Touches:
        """Those of two bodies, in either order."""
        return self._pick([{one, two} == {body, other} for body, other in zip(self.body, self.other)])

    def on(self, body: str) -> Touches:
        """All that a body takes part in."""
        return self._pick([body in pair for pair in zip(self.body, self.other)])

    def _pick(self, chosen: list[bool]) -> Touches:
        return self._rows([i for i, is_chosen in enumerate(chosen) if is_chosen])

    def _rows(self, rows: list[int]) -> Touches:
        def named(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(names[i] for i in rows)

        return Touches(
            named(self.body),
            named(self.other),
            named(self.shape),
            named(self.other_shape),
            self.point[rows],
            self.normal[rows],
            self.force[rows],
            self.normal_force[rows],
            self.distance[rows],
        )

    @staticmethod
    def of(result: Mapping[str, Any], arrays: Mapping[str, Array]) -> tuple[Touches, ...]:
        """One per step, from an engine's answer."""
        all_steps = Touches(
            tuple(result["body"]),
            tuple(result["other"]),
            tuple(result["shape"]),
            tuple(result["otherShape"]),
            arrays["point"],
            arrays["normal"],
            arrays["force"],
            arrays["normalForce"],
            arrays["distance"],
        )
        ends = np.cumsum(arrays["counts"]).astype(int).tolist()
        return tuple(all_steps._rows(list(range(begin, end))) for begin, end in zip([0, *ends], ends))


@dataclass(frozen=True, eq=False)
class StepResult:
    """One step."""

    #: The state after it.
    next: Floats
    #: "solved", or how the solver ended.
    status: str
    iterations: int
    retries: int
    substeps: int
    #: Over which the next state's velocities are means: the time step, or less where a body is too fast for it.
    interval: float

    @property
    def solved(self) -> bool:
        return self.status == "solved"


@dataclass(frozen=True, eq=False)
class StepGradients:
    """Jacobians of one step. In maximal coordinates a state has 12 entries per body: position, attitude error, velocity, angular velocity."""

    next: Floats
    #: Joint positions, then velocities, of ``next``; in minimal coordinates only.
    minimal_next: Floats | None
    dnext_dstate: Floats
    dnext_dinput: Floats
    #: One column per parameter asked for.
    dnext_dparameter: Floats
    #: Of the contacts asked for: normal impulse and two of friction, N·s.
    impulses: Floats | None
    dimpulse_dstate: Floats | None
    dimpulse_dinput: Floats | None
    status: str

    @staticmethod
    def of(result: Mapping[str, Any], arrays: Mapping[str, Array]) -> StepGradients:
        return StepGradients(
            arrays["next"],
            arrays.get("minimalNext"),
            arrays["dNext_dState"],
            arrays["dNext_dInput"],
            arrays["dNext_dParameter"],
            arrays.get("impulses"),
            arrays.get("dImpulse_dState"),
            arrays.get("dImpulse_dInput"),
            str(result["status"]),
        )


@dataclass(frozen=True)
class GradientCorner:
    """An entry without a derivative: its gradient, and the differences to the lower and to the upper side."""

    entry: str
    implicit: float
    below: float
    above: float


@dataclass(frozen=True)
class GradientCheck:
    """Gradients of a step beside differences. ``print`` it for a table."""

    #: Largest error over max(1, largest entry of its block), with everything held that the gradients hold, and where.
    worst: float
    entry: str
    #: The same where every varied step finds anew what touches; None if no shapes touch.
    free_worst: float | None
    free_entry: str
    #: Columns in which the step has no derivative. They do not count in ``free_worst``.
    corners: tuple[GradientCorner, ...]
    table: str

    @staticmethod
    def of(result: Mapping[str, Any], arrays: Mapping[str, Array]) -> GradientCheck:
        worst, free = (float(value) for value in arrays["worst"])
        numbers = (map(float, row) for row in arrays["corners"])
        corners = tuple(GradientCorner(str(name), *row) for name, row in zip(result["corners"], numbers, strict=True))
        entry, free_entry = result["entries"]
        return GradientCheck(worst, entry, None if free != free else free, free_entry, corners, result["table"])

    def __str__(self) -> str:
        return self.table


@dataclass(frozen=True, eq=False)
class Linearization:
    """A step as δx₊ = A δx + B δu + c, about a state and an input."""

    A: Floats
    B: Floats
    c: Floats
    next: Floats
    status: str


@dataclass(frozen=True, eq=False)
class Pullback:
    """Gradient of a cost of a rollout."""

    #: With respect to the start: 12 numbers per body, or joint positions and velocities.
    state: Floats
    #: With respect to the input of each step.
    inputs: Floats
    parameters: dict[str, float]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A rollout. Its record stays in the engine for as long as this object lives."""

    simulation: Simulation
    #: The start, and the state after each solved step.
    states: Floats
    #: One row per step taken.
    inputs: Floats
    iterations: Array
    #: Over which the velocities of each state are means.
    intervals: Floats
    solved: bool
    #: Of the last step.
    status: str
    _tape: Tape = field(repr=False)
    #: Seconds per step, as it was when the steps were taken.
    timestep: float

    def __repr__(self) -> str:
        end = "all solved" if self.solved else f"then {self.status}"
        return f"<Trajectory of {self.simulation.name}: {len(self.states) - 1} steps of {self.timestep:g} s, {end}>"

    @property
    def steps(self) -> int:
        return len(self.iterations)

    @property
    def times(self) -> Floats:
        return np.arange(len(self.states), dtype=np.float64) * self.timestep

    @property
    def final(self) -> Floats:
        last: Floats = self.states[-1]
        return last

    def body(self, name: str) -> BodyState:
        """Position, orientation and velocities of a body over time."""
        return BodyState.of(self.states, place("body", name, self.simulation.bodies))

    def minimal(self) -> Floats:
        """Joint positions, then velocities, at every state; angles over any number of turns."""
        _, arrays = self._tape.call("coordinates", {"simulation": self.simulation._place(self._tape.engine)[1]})
        return arrays["minimal"]

    def joint(self, name: str) -> Floats:
        """Coordinates of one joint over time."""
        start, count = self.simulation._joint(name)
        return self.minimal()[:, start : start + count]

    def contacts(self) -> ContactForces:
        """Forces of all contacts in every step."""
        _, arrays = self._tape.call("contactHistory", {})
        return ContactForces(self.simulation.contact_names, **arrays)

    def touches(self) -> tuple[Touches, ...]:
        """Where shapes touched each other, in every step."""
        return Touches.of(*self._tape.call("touchHistory", {}))

    def pullback(
        self, cotangents: ArrayLike, *, parameters: str | Iterable[str] = (), coordinates: str = "maximal"
    ) -> Pullback:
        """Reverse mode, of a rollout with ``gradients``.

        ``cotangents`` is the gradient of the cost with respect to every state, a row each: 13 numbers per body as in the
        state itself, 12 with attitude errors, or joint positions and velocities in minimal coordinates.
        """
        rows = floats("cotangents", cotangents, self.steps + 1, None)
        names = names_of("parameters", parameters)
        params = {"coordinates": choice("coordinates", coordinates, COORDINATES), "parameters": names}
        _, arrays = self._tape.call("pullback", params, {"cotangents": rows})
        values = dict(zip(names, arrays["parameters"][0].tolist()))
        return Pullback(arrays["state"][0], arrays["inputs"][0], values)

    def cost(self, final: Source | None = None, running: Source | None = None) -> float:
        """The value of a cost: ``final`` at the last state, and ``running`` summed over all before it."""
        return float(self._tape.call("cost", self._costs(final, running))[0]["value"])

    def gradient(self, final: Source | None = None, running: Source | None = None, *, parameters: str | Iterable[str] = ()) -> Pullback:
        """The gradient of such a cost, of a rollout with ``gradients``: by the start, the inputs and parameters.

        ``running`` may read the input of the step that begins at its state.
        """
        names = names_of("parameters", parameters)
        _, arrays = self._tape.call("gradient", {**self._costs(final, running), "parameters": names})
        return Pullback(arrays["state"], arrays["inputs"], dict(zip(names, arrays["parameters"].tolist())))

    def _costs(self, final: Source | None, running: Source | None) -> dict[str, Any]:
        given = {"final": final, "running": running}
        costs = {name: source_of(name, cost) for name, cost in given.items() if cost is not None}
        if not costs:
            raise InputError("final: give a cost of the last state, or running, one of those before it")
        return {"costs": costs}

    def pushforward(
        self,
        state: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
        parameters: Mapping[str, float] | None = None,
        *,
        coordinates: str = "maximal",
    ) -> Floats:
        """Forward mode: what a change of start, inputs and parameters does to every state, a row each."""
        arrays = {}
        if state is not None:
            arrays["state"] = floats("state", state, None)
        if inputs is not None:
            arrays["inputs"] = floats("inputs", inputs, self.steps, self.simulation.input_size)
        changes = {name: number(name, value) for name, value in (parameters or {}).items()}
        params = {"coordinates": choice("coordinates", coordinates, COORDINATES), "parameters": changes}
        _, given = self._tape.call("pushforward", params, arrays)
        return given["states"]

    def html(self, title: str | None = None) -> str:
        """The replay, a page by itself."""
        _, arrays = self._tape.call("html", {"title": title})
        return arrays["html"].tobytes().decode()

    def _repr_html_(self) -> str:
        from .notebook import framed

        return framed(self.html())
