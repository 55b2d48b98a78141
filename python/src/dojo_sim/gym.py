"""Environments for Gymnasium: ``gymnasium.make("dojo_sim/HalfCheetah-v0")``, ``gymnasium.make_vec`` for many of them on all cores.

``import dojo_sim`` registers them where Gymnasium is installed; ``gymnasium.make("dojo_sim:dojo_sim/HalfCheetah-v0")`` imports it.

Observations, rewards and seeds are those of the engine: equal seeds give the same bits as in Node.
"""

from __future__ import annotations

import weakref
from contextlib import contextmanager
from typing import Any, Iterable, Iterator, Mapping, Sequence

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._frames import Array
from ._pickling import no_pickle
from ._values import Floats, floats, positive, whole
from ._words import engine_names
from .engine import Engine, Pool, ask_all, default_pool
from .errors import EngineError, EngineReplaced, InputError, spelt_as
from .tasks import EnvironmentData

__all__ = ["DojoEnv", "DojoVectorEnv", "environment_ids", "register"]

#: The engine's environments under their names here.
environment_ids: dict[str, str] = {
    "half-cheetah": "HalfCheetah-v0",
    "ant": "Ant-v0",
    "hopper": "Hopper-v0",
    "walker": "Walker-v0",
    "humanoid-stand": "HumanoidStand-v0",
    "quadruped-walk": "QuadrupedWalk-v0",
    "quadrotor-waypoints": "QuadrotorWaypoints-v0",
    "box": "Box-v0",
    "box-push": "BoxPush-v0",
    "pendulum": "Pendulum-v0",
    "cartpole": "Cartpole-v0",
}

#: Steps of their episodes: what ``gymnasium.spec`` knows of an environment before an engine runs.
episode_steps: dict[str, int] = {
    "half-cheetah": 80,
    "ant": 150,
    "hopper": 200,
    "walker": 200,
    "humanoid-stand": 150,
    "quadruped-walk": 150,
    "quadrotor-waypoints": 80,
    "box": 80,
    "box-push": 100,
    "pendulum": 200,
    "cartpole": 200,
}

#: The action space of an environment that takes any action: a unit of action either way, as in Gymnasium's own robots.
_unit = 1.0

#: Steps of an episode that nothing but its task ends.
_endless = 2**53 - 1

Observation = Floats
Info = dict[str, Any]

_autoreset = {
    AutoresetMode.NEXT_STEP: "nextStep",
    AutoresetMode.SAME_STEP: "sameStep",
    AutoresetMode.DISABLED: "disabled",
}


def register() -> None:
    """Makes ``gymnasium.make`` know the environments. Importing ``dojo_sim`` does this by itself."""
    for name, identifier in environment_ids.items():
        if f"dojo_sim/{identifier}" in gymnasium.registry:
            continue
        gymnasium.register(
            f"dojo_sim/{identifier}",
            entry_point="dojo_sim.gym:_without_time_limit",
            vector_entry_point="dojo_sim.gym:DojoVectorEnv",
            kwargs={"name": name},
            max_episode_steps=episode_steps[name],
        )


def _without_time_limit(name: str, **options: Any) -> DojoEnv:
    """What ``gymnasium.make`` puts its ``TimeLimit`` around; so a ``max_episode_steps`` of its own may be longer, too."""
    return DojoEnv(name, max_episode_steps=-1, **options)


class _Copies:
    """Copies of an environment in one engine; opened again where the engine is a new one."""

    def __init__(
        self,
        engine: Engine,
        name: str | EnvironmentData,
        options: Mapping[str, Any],
        count: int,
        autoreset: str,
        record: bool,
        error_tolerance: float | None,
        max_episode_steps: int | None,
    ) -> None:
        self.engine = engine
        self.count = count
        if isinstance(name, EnvironmentData) and options:
            raise InputError(f"{next(iter(options))}: an environment of one's own has no options; write it with others")
        self._request: dict[str, Any] = {
            **({"data": name.json} if isinstance(name, EnvironmentData) else {"name": name, "options": engine_names(options)}),
            "count": count,
            "autoreset": autoreset,
            "record": record,
        }
        if error_tolerance is not None:
            self._request["errorTolerance"] = positive("error_tolerance", error_tolerance)
        if max_episode_steps is not None:
            steps = _endless if max_episode_steps == -1 else whole("max_episode_steps", max_episode_steps, 1)
            self._request["horizon"] = steps
        # generation and number in the engine; empty where there is none
        self._open: list[tuple[int, int]] = []
        self._is_closed = False
        self.facts: dict[str, Any] = {}
        self.bounds: dict[str, Array] = {}
        with spelt_as(options):
            self.open()
        weakref.finalize(self, _retire, engine, self._open)

    __reduce__ = no_pickle("an environment lives in its engine and cannot be pickled; make it anew where it is needed")

    def open(self) -> bool:
        """Whether they had to be opened: then they have no seeds yet."""
        self._require_open()
        if self._open and self._open[0][0] == self.engine.start():
            return False
        with self.engine.held():
            self.facts, self.bounds = self.engine.call("environment.open", self._request)
            self._open[:] = [(self.engine.generation, self.facts["environment"])]
        return True

    def request(self, params: Mapping[str, Any]) -> dict[str, Any]:
        self._require_open()
        return {**params, "environment": self._open[0][1]}

    @property
    def generation(self) -> int:
        """Of the engine that they were opened in."""
        self._require_open()
        return self._open[0][0]

    def _require_open(self) -> None:
        if self._is_closed:
            raise InputError("the environment is closed; make another")

    def call(self, method: str, params: Mapping[str, Any], arrays: Mapping[str, Array] = {}) -> tuple[Any, dict[str, Array]]:
        with lost_environments():
            return self.engine.call(method, self.request(params), arrays, self.generation)

    def close(self) -> None:
        """For good; so does forgetting it."""
        self._is_closed = True
        _retire(self.engine, self._open)

    def spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        """Observation and action space. Methods that learn need bounds of actions, so each has some; see ``_unit``."""
        low, high = self.bounds["observationLow"], self.bounds["observationHigh"]
        limits = [self.bounds[key] for key in ("actionLow", "actionHigh")]
        least, most = (np.where(np.isfinite(limit), limit, np.copysign(_unit, limit)).astype(np.float32) for limit in limits)
        return spaces.Box(low, high, dtype=np.float64), spaces.Box(least, most, dtype=np.float32)

    def first_refused(self, actions: Array) -> tuple[int, ...] | None:
        """Index of the first entry that the engine would refuse: NaN, or infinite where nothing clips it."""
        wrong = np.isnan(actions) | (np.isinf(actions) & ~np.isfinite(self.bounds["actionHigh"]))
        return tuple(np.argwhere(wrong)[0]) if wrong.any() else None


@contextmanager
def lost_environments() -> Iterator[None]:
    """Says of environments what has become of them."""
    try:
        yield
    except EngineReplaced:
        raise EngineError("the environments were lost with their engine; reset them, and go on") from None


def _retire(engine: Engine, opened: list[tuple[int, int]]) -> None:
    while opened:
        engine.retire(*opened.pop())


class DojoEnv(gymnasium.Env[Observation, Array]):
    """One environment, by its name or of one's own (``dojo_sim.environment``). ``options`` are its own, such as ``timestep``; ``dojo_sim.environments()`` tells of them.

    ``max_episode_steps`` is the length of its episodes, -1 for no end in time; default that of the environment.
    ``error_tolerance`` divides the simulation's steps until the error of their parts is within it, metres and radians.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "html"], "render_fps": 20}

    def __init__(
        self,
        name: str | EnvironmentData,
        render_mode: str | None = None,
        *,
        width: int = 480,
        height: int = 480,
        error_tolerance: float | None = None,
        max_episode_steps: int | None = None,
        engine: Engine | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise InputError(f'render_mode: "{render_mode}"; give one of {", ".join(self.metadata["render_modes"])}')
        self.render_mode = render_mode
        self._size = {"width": whole("width", width, 1), "height": whole("height", height, 1)}
        is_replayed = render_mode == "html"
        self._copies = _Copies(
            engine or default_pool().first, name, options, 1, "disabled", is_replayed, error_tolerance, max_episode_steps
        )
        self.metadata = {**self.metadata, "render_fps": round(1 / self._copies.facts["timestep"])}
        self.observation_space, self.action_space = self._copies.spaces()
        self._is_seeded = False

    @property
    def timestep(self) -> float:
        """Seconds between actions."""
        return float(self._copies.facts["timestep"])

    @property
    def state(self) -> Floats:
        """Of the bodies, 13 numbers each."""
        state: Floats = self._copies.call("environment.states", {})[1]["states"][0]
        return state

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Starts an episode. A seed starts the stream of starts anew; without one it goes on."""
        seed = None if seed is None else _seed(seed)
        super().reset(seed=seed)
        is_new = self._copies.open()
        arrays = {}
        if seed is not None or is_new or not self._is_seeded:
            arrays["seeds"] = np.array([self.np_random.integers(2**31) if seed is None else seed], np.float64)
        self._is_seeded = True
        _, found = self._copies.call("environment.reset", {}, arrays)
        return found["observations"][0], {"status": "solved"}

    def step(self, action: Array) -> tuple[Observation, float, bool, bool, Info]:
        """One action. An episode is truncated at its horizon, or where a step was not solved: ``info["status"]`` says which."""
        given = floats("action", action, *self.action_space.shape)  # type: ignore[misc]
        result, found = self._copies.call("environment.step", {}, {"actions": given[None]})
        status = result["faults"][0][2] if result["faults"] else "solved"
        return (
            found["observations"][0, 0],
            float(found["rewards"][0, 0]),
            bool(found["terminated"][0, 0]),
            bool(found["truncated"][0, 0]),
            {"status": status},
        )

    def render(self) -> Any:
        """The picture of now (height × width × 3), or the page that replays the episode so far."""
        if self.render_mode == "rgb_array":
            return self._copies.call("environment.picture", self._size)[1]["picture"]
        if self.render_mode == "html":
            return self._copies.call("environment.html", {})[1]["html"].tobytes().decode()
        return None

    def close(self) -> None:
        self._copies.close()


class DojoVectorEnv(VectorEnv[Observation, Array, Array]):
    """Many copies of an environment in lock-step, shared out among engines on all cores.

    ``autoreset_mode`` says what happens to a copy whose episode is over, as Gymnasium has it: "NextStep" (the default), "SameStep"
    or "Disabled". ``gymnasium.make_vec`` passes it on, and options of the environment: ``make_vec(..., autoreset_mode="SameStep")``.
    """

    def __init__(
        self,
        name: str | EnvironmentData,
        num_envs: int = 1,
        render_mode: str | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        width: int = 480,
        height: int = 480,
        error_tolerance: float | None = None,
        max_episode_steps: int | None = None,
        pool: Pool | None = None,
        **options: Any,
    ) -> None:
        num_envs = whole("num_envs", num_envs, 1)
        if render_mode not in (None, "rgb_array"):
            raise InputError(f'render_mode: "{render_mode}"; many environments have "rgb_array" only')
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(each.value for each in AutoresetMode)
            raise InputError(f"autoreset_mode: {autoreset_mode!r}; give one of {modes}") from None
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._size = {"width": whole("width", width, 1), "height": whole("height", height, 1)}
        engines = (pool or default_pool()).engines[:num_envs]
        ends = [num_envs * k // len(engines) for k in range(len(engines) + 1)]
        self._parts = [slice(a, b) for a, b in zip(ends, ends[1:])]
        self._groups = [
            _Copies(engine, name, options, part.stop - part.start, _autoreset[mode], False, error_tolerance, max_episode_steps)
            for engine, part in zip(engines, self._parts)
        ]
        fps = round(1 / self._groups[0].facts["timestep"])
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": fps, "autoreset_mode": mode}
        self.single_observation_space, self.single_action_space = self._groups[0].spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._mode = mode
        #: What the steps of the last message took, in the engine that took longest.
        self.engine_seconds = 0.0
        self._is_seeded = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Starts episodes; copy i with ``seed`` + i. ``options={"reset_mask": ...}`` says which."""
        # a group whose engine was lost has no seeds: all are drawn anew
        if any([group.open() for group in self._groups]):
            self._is_seeded = False
        mask = None if options is None else options.get("reset_mask")
        seeds = self._seeds(seed)
        arrays: dict[str, Floats] = {}
        if seeds is not None:
            arrays["seeds"] = seeds
        if mask is not None:
            arrays["mask"] = floats("reset_mask", mask, self.num_envs)
        found = self._ask("environment.reset", {name: [array[part] for part in self._parts] for name, array in arrays.items()})
        return np.concatenate([arrays["observations"] for _, arrays in found]), {}

    def step(self, actions: Array) -> tuple[Observation, Floats, Array, Array, Info]:
        """One action for every copy."""
        given = floats("actions", actions, self.num_envs, *self.single_action_space.shape)  # type: ignore[misc]
        observations, rewards, terminated, truncated, info = self.rollout(given[None])
        return observations[0], rewards[0], terminated[0], truncated[0], _of_step(info, 0)

    def rollout(self, actions: Array) -> tuple[Observation, Floats, Array, Array, Info]:
        """Several actions in one message: steps × copies × numbers in, and everything with steps first out.

        With autoreset disabled an episode that ends could not go on in the middle of a message, so there it is one step at a time.
        """
        given = floats("actions", actions, None, self.num_envs, *self.single_action_space.shape)  # type: ignore[misc]
        if self._mode is AutoresetMode.DISABLED and len(given) != 1:
            raise InputError(f"actions: {len(given)} steps at a time; without autoreset give one, and reset the copies that are done")
        # before any copy moves
        wrong = self._groups[0].first_refused(given)
        if wrong is not None:
            step, copy, entry = wrong
            raise InputError(f"actions[{step}]: entry {entry} of copy {copy} is {given[wrong]}; give a finite number")
        found = self._ask("environment.step", {"actions": [np.ascontiguousarray(given[:, part]) for part in self._parts]})
        self.engine_seconds = max(result["milliseconds"] for result, _ in found) / 1000
        joined = {name: np.concatenate([arrays[name] for _, arrays in found], axis=1) for name in found[0][1]}
        terminated, truncated = joined["terminated"].astype(bool), joined["truncated"].astype(bool)
        status = np.full(terminated.shape, "solved", dtype=object)
        for part, (result, _) in zip(self._parts, found):
            for step, copy, said in result["faults"]:
                status[step, part.start + copy] = said
        # every entry with the mask of the copies that have it
        all_of_them = np.ones(terminated.shape, bool)
        info: Info = {"steps": joined["episodeSteps"], "_steps": all_of_them, "status": status, "_status": all_of_them}
        over = terminated | truncated
        if self._mode is AutoresetMode.SAME_STEP and over.any():
            finals = np.full(over.shape, None, dtype=object)
            for step, copy in zip(*np.nonzero(over)):
                finals[step, copy] = joined["finals"][step, copy]
            info["final_obs"], info["_final_obs"] = finals, over
            info["final_info"] = {"steps": joined["episodeSteps"], "_steps": over, "status": status, "_status": over}
            info["_final_info"] = over
        return joined["observations"], joined["rewards"], terminated, truncated, info

    def render(self) -> tuple[Any, ...] | None:
        """A picture of every copy."""
        if self.render_mode is None:
            return None
        return tuple(
            group.call("environment.picture", {**self._size, "copy": copy})[1]["picture"]
            for group in self._groups
            for copy in range(group.count)
        )

    def close_extras(self, **_: Any) -> None:
        for group in self._groups:
            group.close()

    def _ask(self, method: str, arrays: Mapping[str, Sequence[Array]]) -> list[tuple[dict[str, Any], dict[str, Array]]]:
        calls = [
            (group.engine, method, group.request({}), {name: parts[k] for name, parts in arrays.items()}, group.generation)
            for k, group in enumerate(self._groups)
        ]
        with lost_environments():
            return ask_all(calls)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Floats | None:
        if seed is None:
            if self._is_seeded:
                return None
            seed = int(self.np_random.integers(2**31))
        if isinstance(seed, (str, bytes)) or not isinstance(seed, Iterable):
            first = _seed(seed)
            drawn = [_seed(first + k) for k in range(self.num_envs)]
            self._np_random, self._np_random_seed = gymnasium.utils.seeding.np_random(first)
        else:
            drawn = [int(self.np_random.integers(2**31)) if one is None else _seed(one) for one in seed]
        self._is_seeded = True
        return floats("seed", drawn, self.num_envs)


def _seed(seed: Any) -> int:
    """A seed as the engine has them: a whole number that a double can tell from its neighbours."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and 0 <= seed < 2**53:
        return int(seed)
    raise InputError(f"seed: {seed!r}; give a whole number from 0 to 2**53 - 1")


def _of_step(info: Info, step: int) -> Info:
    return {name: _of_step(part, step) if isinstance(part, dict) else part[step] for name, part in info.items()}


register()
