"""Simulations: a mechanism in the engine, stepped with arrays of one's own."""

from __future__ import annotations

import difflib
import json
import os
import weakref
from typing import Any, Callable, Iterable, Iterator, Mapping, MutableMapping

import numpy as np
from numpy.typing import ArrayLike

from ._frames import Array, json_of
from ._pickling import no_pickle
from ._tape import Tape
from ._values import (
    COORDINATES,
    Floats,
    choice,
    floats,
    gradient_params,
    names_of,
    number,
    path_params,
    place,
    positive,
    require_room,
    stack,
    whole,
)
from ._words import advice_in_python
from .batch import Rollouts, rollouts
from .engine import Engine, Pool, default_pool
from .errors import EngineError, EngineReplaced, InputError
from .expressions import Quantities
from .results import (
    BodyState,
    ContactForces,
    GradientCheck,
    Linearization,
    StepGradients,
    StepResult,
    Touches,
    Trajectory,
)

__all__ = ["ParameterValues", "Simulation"]

#: How exactly a step lands on the central path where its gradient is to be that of the step itself.
_exactly = {"exact": True, "pathTolerance": 1e-11, "tolerance": 1e-14, "maxIterations": 60}


class Simulation:
    """A model of the library by its name, a .urdf, .xacro, .xml (MJCF or URDF) or .json file by its path, XML as text, or a description as a dict.

    ``timestep``, ``gravity``, ``friction`` and ``restitution`` replace the model's own; ``base`` ("floating" or "fixed") is for URDF, ``floor``
    ("none" or "plane") takes away or adds one, ``contacts`` ("feet" or "all") and ``self_collisions`` (limbs touch each other) are for robots of the library, ``collisions`` ("floor"
    or "shapes") for robot files: with shapes they touch each other, but for links that an SRDF file, ``srdf``, keeps apart; ``dampratio``
    ("coupled" as in MuJoCo 3.15 and later, or "alone" as before) for MJCF; ``density`` (kg/m³, of links that give no mass) and ``repair`` (mend
    inertias, limits and links without mass that no mechanism can have) for URDF, ``xacro_args`` for xacro files. ``kappa`` or
    ``relative_kappa`` say where on the central path steps end, ``precision`` ("exact" or "fast") how far down it where they do not;
    ``error_tolerance`` divides steps until each part is within it, in metres and radians. States and inputs are arrays of the caller's own: a state has
    13 numbers per body (position 3, quaternion 4, velocity 3, angular velocity 3).
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | Mapping[str, Any],
        *,
        timestep: float | None = None,
        gravity: ArrayLike | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        base: str | None = None,
        floor: str | None = None,
        contacts: str | None = None,
        self_collisions: bool = False,
        collisions: str | None = None,
        srdf: str | os.PathLike[str] | None = None,
        dampratio: str | None = None,
        density: float | None = None,
        repair: bool = False,
        xacro_args: Mapping[str, Any] | None = None,
        kappa: float | None = None,
        relative_kappa: float | None = None,
        precision: str | None = None,
        error_tolerance: float | None = None,
        pool: Pool | None = None,
    ) -> None:
        self.pool = pool or default_pool()
        self._step_options = path_params(kappa, relative_kappa)
        if precision is not None:
            self._step_options["precision"] = choice("precision", precision, ("exact", "fast"))
        if error_tolerance is not None:
            self._step_options["errorTolerance"] = positive("error_tolerance", error_tolerance)
        changes: dict[str, Any] = {"base": base, "floor": floor, "contacts": contacts, "collisions": collisions}
        changes["dampratio"] = dampratio
        changes["srdf"] = None if srdf is None else os.fspath(srdf)
        changes["selfCollisions"] = True if self_collisions else None
        changes["xacroArgs"] = None if xacro_args is None else [f"{name}={value}" for name, value in xacro_args.items()]
        changes["repair"] = True if repair else None
        for name, value in (("timestep", timestep), ("friction", friction), ("restitution", restitution), ("density", density)):
            changes[name] = None if value is None else number(name, value)
        given = {name: value for name, value in changes.items() if value is not None}
        arrays = {} if gravity is None else {"gravity": floats("gravity", gravity, 3)}
        engine = self.pool.first
        with engine.held():
            facts, values = engine.call("open", {**_source(model), **given, **self._step_options}, arrays)
            generation = engine.generation
        self.name: str = facts["name"]
        self.state_size: int = facts["stateSize"]
        self.input_size: int = facts["inputSize"]
        self.bodies: tuple[str, ...] = tuple(facts["bodies"])
        self.contact_names: tuple[str, ...] = tuple(facts["contacts"])
        self.input_names: tuple[str, ...] = tuple(facts["inputNames"])
        #: Of joint positions; a minimal state has these and then their rates.
        self.coordinate_names: tuple[str, ...] = tuple(facts["coordinateNames"])
        #: States that the model gives a name; the first is where it starts.
        self.state_names: tuple[str, ...] = tuple(facts["stateNames"])
        #: What an importer had to say.
        self.warnings: tuple[str, ...] = tuple(map(advice_in_python, facts["warnings"]))
        self._joints: dict[str, tuple[int, int]] = {name: (start, count) for name, start, count in facts["joints"]}
        self._description: str = facts["description"]
        self._wrenches: dict[str, dict[str, Array]] = {}
        self._quantity_names: tuple[str, ...] | None = None
        # numbers of this simulation in engines, and of those that land exactly on the central path
        self._numbers: dict[tuple[Engine, float | None], tuple[int, int]] = {(engine, None): (generation, facts["simulation"])}
        #: Parameters by name, such as "bodies.rod.mass": read them, set them, list them.
        self.parameters = ParameterValues(self, tuple(facts["parameterNames"]), values["parameters"])
        weakref.finalize(self, _retire, self._numbers)

    def __repr__(self) -> str:
        counts = ((len(self.bodies), "body", "bodies"), (self.input_size, "input", "inputs"), (len(self.contact_names), "contact", "contacts"))
        listed = ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts)
        return f"<Simulation of {self.name}: {listed}>"

    __reduce__ = no_pickle(
        "a simulation lives in its engine and cannot be pickled; open it anew from simulation.description where it is needed"
    )

    def close(self) -> None:
        """Gives up its memory in the engine, as forgetting the object does; a later call opens it again."""
        _retire(self._numbers)

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def timestep(self) -> float:
        """Seconds. Set it as ``parameters["timestep"]``."""
        return self.parameters["timestep"]

    @property
    def description(self) -> dict[str, Any]:
        """The mechanism as data, with the changes that were asked for and the parameters as they are now (wrenches apart)."""
        inside: dict[str, Any] = json.loads(self._current_description())["description"]
        return inside

    @property
    def quantities(self) -> Quantities:
        """What costs, rewards and observations are written in: ``robot.quantities["trunk.position.z"]``."""
        return Quantities(self)

    @property
    def quantity_names(self) -> tuple[str, ...]:
        """The paths of all quantities."""
        if self._quantity_names is None:
            self._quantity_names = tuple(self._call("quantities", {})[0]["names"])
        return self._quantity_names

    def inspect(self, *, measure: bool = False) -> dict[str, Any]:
        """What this robot is and what looks wrong with it: ``bodies``, ``joints``, ``start``, ``suspicions`` and more.

        With ``measure`` also ``timesteps``, how runs go at several, and ``features``, what each costs per step; this takes seconds.
        """
        return self._call("inspect", {"measure": measure})[0]

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(self._joints)

    # states

    def state(self, name: str | None = None, *, on_ground: bool = False, **joints: Any) -> Floats:
        """A named state, by default the model's first ("zero" for all joints at zero), with these joints elsewhere.

        A joint is given by its position, or by ``{"position": ..., "velocity": ...}``, coordinates in a list. A state that
        violates joints, limits or contacts is moved to the nearest that does not, so that a run can start. With ``on_ground``
        what can fall is put down: its lowest point touches what is below.
        """
        return self._state(name, joints, on_ground)["state"]

    def state_at(self, name: str | None = None, *, input: ArrayLike | None = None, **joints: Any) -> Floats:
        """The same with velocities that are those of the instant, under this input.

        A state's velocities are means over the time step before it, so a start in motion that ``state`` makes is off by half a step's
        acceleration, and a run from it by the order of the time step; from this one, by its square. The state must have no faults.
        """
        params = self._named(name, joints)
        arrays = {} if input is None else {"input": floats("input", input, self.input_size)}
        return self._call("stateAt", params, arrays)[1]["state"]

    def held_input(self, name: str | None = None) -> Floats:
        """The input that goes with a named state: servos hold it."""
        return self._state(name, {})["input"]

    def body(self, state: ArrayLike, name: str) -> BodyState:
        """A body in a state, or in many, whose last axis has the numbers of one."""
        return BodyState.of(stack("state", state, self.state_size), place("body", name, self.bodies))

    def minimal(self, states: ArrayLike) -> Floats:
        """Joint positions, then velocities, of a state or of a stack of them."""
        given = stack("states", states, self.state_size)
        _, arrays = self._call("minimal", {}, {"states": given})
        return arrays["minimal"].reshape(*given.shape[:-1], 2 * len(self.coordinate_names))

    def maximal(self, minimal: ArrayLike) -> Floats:
        """The states of these joint positions and velocities."""
        given = stack("minimal", minimal, 2 * len(self.coordinate_names))
        _, arrays = self._call("maximal", {}, {"minimal": given})
        return arrays["states"].reshape(*given.shape[:-1], self.state_size)

    def check_state(self, state: ArrayLike) -> list[str]:
        """All faults of a state; none where a rollout may start."""
        result, _ = self._call("checkState", {}, {"state": self._state_array(state)})
        return list(result["faults"])

    def project_state(self, state: ArrayLike, *, on_ground: bool = False) -> Floats:
        """The nearest state without faults; with ``on_ground`` the lowest point of what can fall touches what is below."""
        return self._call("projectState", {"onGround": on_ground}, {"state": self._state_array(state)})[1]["state"]

    def energy(self, state: ArrayLike) -> dict[str, float]:
        """Kinetic, potential and total energy, J."""
        return self._call("energy", {}, {"state": self._state_array(state)})[0]

    def momentum(self, state: ArrayLike) -> tuple[Floats, Floats]:
        """Linear and angular momentum."""
        arrays = self._call("momentum", {}, {"state": self._state_array(state)})[1]
        return arrays["linear"], arrays["angular"]

    # steps

    def step(self, state: ArrayLike, input: ArrayLike | None = None, *, interval: float | None = None) -> StepResult:
        """One step. It goes on where the last one ended if ``state`` is where it ended, and starts cold otherwise."""
        arrays = {"state": self._state_array(state)}
        if input is not None:
            arrays["input"] = floats("input", input, self.input_size)
        params = {} if interval is None else {"interval": number("interval", interval)}
        report, answer = self._call("step", params, arrays)
        return StepResult(
            answer["next"],
            report["status"],
            report["iterations"],
            report["retries"],
            report["substeps"],
            report["interval"],
        )

    def rollout(
        self,
        start: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
        *,
        steps: int | None = None,
        gradients: bool = False,
        kappa: float | None = None,
        relative_kappa: float | None = None,
        smoothing: float | None = None,
        check: bool = True,
    ) -> Trajectory:
        """Many steps. Ends early at a step that is not solved.

        ``inputs`` has a row per step, or is one input that is held for ``steps``; none means zero. ``start`` defaults to the
        model's first state. With ``gradients``, ``pullback`` and ``pushforward`` of the result work: at the ends of
        steps, or smoothed, by ``smoothing`` (0.1 is usual) or ``kappa`` (SI).
        """
        first = self.state() if start is None else self._state_array(start)
        rows = self._input_rows(inputs, steps)
        params = {
            "steps": len(rows),
            "gradients": gradients,
            "unchecked": not check,
            **gradient_params(kappa, relative_kappa, smoothing),
        }
        generation, result, arrays = self._ask(
            "rollout", params, {"start": first} if inputs is None else {"start": first, "inputs": rows}
        )
        return Trajectory(
            self,
            arrays["states"],
            rows[: len(arrays["iterations"])],
            arrays["iterations"],
            arrays["intervals"],
            result["solved"],
            result["status"],
            Tape(self.pool.first, generation, result["tape"]),
            self.timestep,
        )

    def rollouts(
        self,
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
        """Many rollouts on all cores, each of which starts cold.

        ``starts`` is rollouts × numbers, ``inputs`` rollouts × steps × inputs, ``parameters`` has numbers or one number per
        rollout by name, in which "*" stands for one part; what is given once is for all. ``coordinates="minimal"`` takes and gives joint positions and
        velocities. Gradients are those of the ends of steps, or smoothed, by
        ``smoothing`` or ``kappa`` (SI). With ``exact``, steps end exactly at ``kappa`` themselves. Without
        ``check``, starts may violate joints and contacts.
        """
        return rollouts(
            self,
            starts,
            inputs,
            steps=steps,
            parameters=parameters,
            coordinates=coordinates,
            keep=keep,
            gradients=gradients,
            kappa=kappa,
            relative_kappa=relative_kappa,
            smoothing=smoothing,
            exact=exact,
            check=check,
        )

    # readings of the last step

    def contacts(self) -> ContactForces:
        """Forces of all contacts in the last step."""
        _, arrays = self._call("contacts", {})
        return ContactForces(self.contact_names, **{name: array[0] for name, array in arrays.items()})

    def touches(self) -> Touches:
        """Where shapes touched each other in the last step."""
        return Touches.of(*self._call("touches", {}))[0]

    def imu(
        self,
        body: str,
        state: ArrayLike,
        next: ArrayLike,
        *,
        position: ArrayLike | None = None,
        orientation: ArrayLike | None = None,
    ) -> tuple[Floats, Floats]:
        """Specific force and angular velocity of a sensor on a body, in the step from ``state`` to ``next``."""
        arrays = {"state": self._state_array(state), "next": self._state_array(next)}
        if position is not None:
            arrays["position"] = floats("position", position, 3)
        if orientation is not None:
            arrays["orientation"] = floats("orientation", orientation, 4)
        _, found = self._call("imu", {"body": body}, arrays)
        return found["acceleration"], found["angularVelocity"]

    def joint_wrench(self, joint: str) -> tuple[Floats, Floats]:
        """Force and torque that a joint carried in the last step, on the child, in the world's frame."""
        _, arrays = self._call("jointWrench", {"joint": joint})
        return arrays["force"], arrays["torque"]

    def touch(self, body: str) -> float:
        """Sum of the normal forces on a body in the last step, N."""
        return float(self._call("touch", {"body": body})[0]["force"])

    def render(self, state: ArrayLike, *, seen: ArrayLike | None = None, width: int = 480, height: int = 480) -> Array:
        """A picture, height × width × 3, without a browser: from where all of the state ``seen`` can be seen, moved along."""
        arrays = {"state": self._state_array(state)}
        if seen is not None:
            arrays["seen"] = self._state_array(seen)
        size = {"width": whole("width", width, 1), "height": whole("height", height, 1)}
        return self._call("picture", size, arrays)[1]["picture"]

    def set_wrench(self, body: str, force: ArrayLike = (0, 0, 0), torque: ArrayLike = (0, 0, 0)) -> None:
        """Force (world's frame, at the centre of mass) and torque (body's frame) that act until changed."""
        place("body", body, self.bodies)
        arrays = {"force": floats("force", force, 3), "torque": floats("torque", torque, 3)}
        self._change(lambda _: self._wrenches.update({body: arrays}), "setWrench", {"body": body}, arrays)

    # gradients

    def step_gradients(
        self,
        state: ArrayLike,
        input: ArrayLike | None = None,
        *,
        kappa: float | None = None,
        relative_kappa: float | None = None,
        smoothing: float | None = None,
        coordinates: str = "maximal",
        parameters: str | Iterable[str] = (),
        contacts: str | Iterable[str] = (),
    ) -> StepGradients:
        """Jacobians of one step where it ends; or smoothed, by ``smoothing`` (0.1 is usual, large is smooth) or ``kappa`` (SI)."""
        params = {
            "coordinates": choice("coordinates", coordinates, COORDINATES),
            "parameters": names_of("parameters", parameters),
            "contacts": names_of("contacts", contacts),
            **gradient_params(kappa, relative_kappa, smoothing),
        }
        return StepGradients.of(*self._call("stepGradients", params, self._moment(state, input)))

    def check_gradients(
        self,
        state: ArrayLike,
        input: ArrayLike | None = None,
        *,
        kappa: float | None = None,
        relative_kappa: float | None = None,
        smoothing: float | None = None,
        coordinates: str = "maximal",
        parameters: str | Iterable[str] = (),
    ) -> GradientCheck:
        """Compares ``step_gradients`` with differences: with features of shapes held, and where each step finds them anew."""
        params = {
            "coordinates": choice("coordinates", coordinates, COORDINATES),
            "parameters": names_of("parameters", parameters),
            **gradient_params(kappa, relative_kappa, smoothing),
        }
        return GradientCheck.of(*self._call("checkGradients", params, self._moment(state, input)))

    def linearize(
        self,
        state: ArrayLike,
        input: ArrayLike | None = None,
        *,
        kappa: float | None = None,
        relative_kappa: float | None = None,
        smoothing: float | None = None,
        coordinates: str = "minimal",
    ) -> Linearization:
        """A step made linear about a state and an input, for linear-quadratic control."""
        params = {"coordinates": choice("coordinates", coordinates, COORDINATES), **gradient_params(kappa, relative_kappa, smoothing)}
        result, arrays = self._call("linearize", params, self._moment(state, input))
        return Linearization(arrays["A"], arrays["B"], arrays["c"], arrays["next"], result["status"])

    # notebooks

    def _repr_html_(self) -> str:
        """The replay of a second from the model's first state."""
        return self.rollout(steps=max(1, round(1 / self.timestep)), check=False)._repr_html_()

    # within the package

    def _place(self, engine: Engine, exact_kappa: float | None = None) -> tuple[int, int]:
        """Generation and number of this simulation in an engine, where it is opened if it is not there, or not any more."""
        with engine.held():
            generation, number = self._numbers.get((engine, exact_kappa), (0, 0))
            if generation == engine.start():
                return generation, number
            options = self._step_options if exact_kappa is None else {"kappa": exact_kappa, **_exactly}
            facts, _ = engine.call("open", {"description": self._description, **options})
            generation, number = engine.generation, facts["simulation"]
            if self.parameters._changed:
                engine.call("setParameters", {"simulation": number, "values": self.parameters._changed}, generation=generation)
            for body, wrench in self._wrenches.items():
                engine.call("setWrench", {"simulation": number, "body": body}, wrench, generation)
            # not before: a signal on the way must not leave one that has the parameters of the file
            self._numbers[engine, exact_kappa] = generation, number
            return generation, number

    def _current_description(self) -> str:
        """As the engine writes it."""
        if not self.parameters._changed:
            return self._description
        text: str = self._call("describe", {})[0]["description"]
        return text

    def _call(
        self, method: str, params: Mapping[str, Any], arrays: Mapping[str, Array] = {}
    ) -> tuple[dict[str, Any], dict[str, Array]]:
        return self._ask(method, params, arrays)[1:]

    def _ask(
        self, method: str, params: Mapping[str, Any], arrays: Mapping[str, Array] = {}
    ) -> tuple[int, dict[str, Any], dict[str, Array]]:
        """The first engine, whose generation comes first."""
        engine = self.pool.first

        def asked() -> tuple[int, dict[str, Any], dict[str, Array]]:
            generation, number = self._place(engine)
            return generation, *engine.call(method, {**params, "simulation": number}, arrays, generation)

        try:
            return asked()
        except EngineReplaced:
            # it ended since it was looked at; nobody was asked
            return asked()

    def _change(
        self,
        note: Callable[[dict[str, Any]], None],
        method: str,
        params: Mapping[str, Any],
        arrays: Mapping[str, Array] = {},
    ) -> None:
        """Changes what every engine has of this simulation. ``note`` keeps the first engine's answer.

        All engines and ``note`` have the change in the end, or none: what an error or a signal leaves half changed is given
        up, and opened again with what ``note`` has kept.
        """
        answer, _ = self._call(method, params, arrays)
        try:
            note(answer)
            first = self._numbers[self.pool.first, None]
            for (engine, kappa), (generation, number) in list(self._numbers.items()):
                if (generation, number) == first and engine is self.pool.first:
                    continue
                try:
                    engine.call(method, {**params, "simulation": number}, arrays, generation)
                except EngineError:
                    # it is opened again with the change
                    self._numbers.pop((engine, kappa), None)
        except BaseException:
            _retire(self._numbers)
            raise

    def _state(self, name: str | None, joints: Mapping[str, Any], on_ground: bool = False) -> dict[str, Array]:
        return self._call("state", {**self._named(name, joints), "onGround": on_ground})[1]

    def _named(self, name: str | None, joints: Mapping[str, Any]) -> dict[str, Any]:
        given = {joint: _joint_state(value) for joint, value in joints.items()}
        return {"joints": given} if name is None else {"joints": given, "name": name}

    def _joint(self, name: str) -> tuple[int, int]:
        place("joint", name, self.joints)
        return self._joints[name]

    def _state_array(self, state: ArrayLike) -> Floats:
        return floats("state", state, self.state_size)

    def _moment(self, state: ArrayLike, input: ArrayLike | None) -> dict[str, Array]:
        arrays = {"state": self._state_array(state)}
        if input is not None:
            arrays["input"] = floats("input", input, self.input_size)
        return arrays

    def _input_rows(self, inputs: ArrayLike | None, steps: int | None) -> Floats:
        if steps is not None:
            steps = whole("steps", steps)
        if inputs is None:
            if steps is None:
                raise InputError("rollout: say how many steps, or give an input for each")
            require_room("the states", steps + 1, self.state_size)
            return np.zeros((steps, self.input_size))
        rows = floats("inputs", inputs)
        if rows.ndim == 1:
            if steps is None:
                raise InputError("inputs: one input that is held needs steps; or give a row per step")
            rows = np.broadcast_to(rows, (steps, len(rows)))
        rows = floats("inputs", rows, None, self.input_size)
        if steps is not None and len(rows) != steps:
            raise InputError(f"inputs: has {len(rows)} rows for {steps} steps")
        require_room("the states", len(rows) + 1, self.state_size)
        return np.ascontiguousarray(rows)


class ParameterValues(MutableMapping[str, float]):
    """Parameters of a simulation by name. ``update`` changes several at once; a name may hold "*", which stands for one part of it."""

    def __init__(self, simulation: Simulation, names: tuple[str, ...], values: Floats) -> None:
        self._simulation = weakref.ref(simulation)
        self._values: dict[str, float] = dict(zip(names, values.tolist()))
        self._changed: dict[str, float] = {}

    def __getitem__(self, name: str) -> float:
        try:
            return self._values[name]
        except KeyError:
            raise InputError(f'there is no parameter "{name}"; {self._meant(name)}list(simulation.parameters) has all') from None

    def _meant(self, name: object) -> str:
        near = difflib.get_close_matches(str(name), self._values, 1, 0.8)
        return f'did you mean "{near[0]}"? ' if near else ""

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def get(self, name: str, default: Any = None) -> Any:
        return self._values.get(name, default)

    def __setitem__(self, name: str, value: float) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        raise InputError("parameters can be changed, not removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<{len(self)} parameters: {', '.join(list(self._values)[:3])}, ...>"

    def update(self, other: Any = (), /, **values: float) -> None:
        """Changes all of them, or none where one is refused."""
        simulation = self._simulation()
        if simulation is None:
            raise InputError("the simulation of these parameters is gone")
        given = {name: number(name, value) for name, value in dict(other, **values).items()}

        def note(result: dict[str, Any]) -> None:
            # JSON has no floats that are whole
            changed = {name: float(value) for name, value in result["set"].items()}
            self._changed.update(changed)
            self._values.update(changed)

        simulation._change(note, "setParameters", {"values": given})


def _source(model: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(model, Mapping):
        envelope = model if "format" in model else {"format": "dojo-sim", "version": 1, "description": model}
        return {"description": json_of(envelope, "model")}
    if not isinstance(model, (str, os.PathLike)):
        raise InputError(f"model: {model!r}; give a name, a path, XML as text, or a description as a dict")
    text = os.fspath(model)
    if text.lstrip().startswith("<"):
        return {"model": "text.xml", "text": text}
    looks_like_file = os.sep in text or text.lower().endswith((".urdf", ".xml", ".mjcf", ".json"))
    # the engine may have been started elsewhere
    return {"model": os.path.abspath(text) if looks_like_file else text}


def _joint_state(value: Any) -> dict[str, list[float]]:
    parts = value if isinstance(value, Mapping) else {"position": value}
    unknown = set(parts) - {"position", "velocity"}
    if unknown:
        raise InputError(f"a joint's state has position and velocity, not {', '.join(sorted(map(str, unknown)))}")
    return {name: _coordinates(name, part) for name, part in parts.items()}


def _coordinates(what: str, value: Any) -> list[float]:
    numbers = np.atleast_1d(floats(what, value))
    if numbers.ndim > 1 or not np.isfinite(numbers).all():
        raise InputError(f"{what}: {value!r}; give finite numbers, one per coordinate")
    listed: list[float] = numbers.tolist()
    return listed


def _retire(numbers: dict[tuple[Engine, float | None], tuple[int, int]]) -> None:
    for (engine, _), (generation, number) in numbers.items():
        engine.retire(generation, number)
    numbers.clear()
