"""The engine: a process that answers messages over pipes, started when first asked.

An engine that has died is replaced on the next call. Whoever keeps things in it (numbers of simulations, say) keeps the
``generation`` too, and says it with every question about them: the same number is something else in another process.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from contextlib import AbstractContextManager
from typing import Any, Callable, Mapping, Sequence, TypeVar

from . import _frames
from ._frames import Array
from ._locate import engine_script, node, node_fault
from ._pickling import no_pickle
from ._process import Process as _Process
from ._values import whole
from .errors import DojoError, EngineError, EngineReplaced, InputError, VersionError, error_of
from .version import __version__

__all__ = ["Engine", "Pool", "ask_all", "ask_each", "default_pool"]

PROTOCOL = 1
_no_arrays: Mapping[str, Array] = {}

Reply = tuple[dict[str, Any], dict[str, Array]]


class Engine:
    """One process, used by one thread at a time; other threads wait for their turn."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = list(command) if command is not None else None
        self._process: _Process | None = None
        self._finalizer: weakref.finalize[..., Engine] | None = None
        self._lock = threading.RLock()
        self._message = 0
        self._asked = "hello"
        # from the first byte of a question to the last of its answer; a signal may leave it so
        self._is_busy = False
        #: Counts the processes: what an earlier one kept is gone.
        self.generation = 0
        # filled by finalizers, which may run in the middle of a call
        self._retired: deque[tuple[int, int]] = deque()
        _engines.add(self)

    __reduce__ = no_pickle("an engine is a process and cannot be pickled; start another with dojo_sim.Pool()")

    @property
    def pid(self) -> int | None:
        """Of the process, where there is one."""
        process = self._own_process()
        return None if process is None else process.pid

    def start(self) -> int:
        """Starts the process unless it runs. Returns the generation."""
        with self._lock:
            process = self._own_process()
            if process is not None and process.is_running and not self._is_busy:
                return self.generation
            self._end(at_once=True)
            self.generation += 1
            command = self._command or [node(), str(engine_script()), "serve"]
            self._is_busy = True
            self._process = _Process(command)
            self._finalizer = weakref.finalize(self, self._process.end, at_once=True)
            self._greet(command[0])
            self._is_busy = False
            return self.generation

    def call(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        arrays: Mapping[str, Array] = _no_arrays,
        generation: int | None = None,
    ) -> Reply:
        """Asks, and waits for the answer. With a ``generation`` that process alone is asked, or ``EngineReplaced`` raised."""
        with self._lock:
            if generation is not None:
                self._require(method, generation)
            self._send(method, params or {}, arrays)
            return self._receive()

    def _require(self, method: str, generation: int) -> None:
        process = self._own_process()
        if generation != self.generation or process is None or not process.is_running or self._is_busy:
            raise EngineReplaced(f"the engine ended before it was asked for {method!r}: what it kept is lost")

    def _send(self, method: str, params: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        """Asks; ``_receive`` has the answer. Whoever asks holds the lock until then."""
        self.start()
        self._message += 1
        head: dict[str, Any] = {"id": self._message, "method": method, "params": params}
        retired = self._take_retired()
        if retired:
            head["release"] = retired
        try:
            data = _frames.encode(head, arrays)
        except InputError:
            self._retired.extend((self.generation, number) for number in retired)
            raise
        process = self._process
        assert process is not None
        self._asked = method
        self._is_busy = True
        self._guarded(lambda: process.write(data))

    def _receive(self) -> Reply:
        """The answer to the last question."""
        process = self._process
        assert process is not None
        head, arrays = self._guarded(process.read)
        self._is_busy = False
        if head.get("id") != self._message:
            fault = head.get("error")
            said = error_of(fault) if isinstance(fault, dict) else "it answered another message"
            self._end(at_once=True)
            raise EngineError(f"the engine lost track of its messages: {said}")
        if "error" in head:
            raise error_of(head["error"])
        return head.get("result", {}), arrays

    def retire(self, generation: int, number: int) -> None:
        """What has this number is needed no more. Safe in finalizers: the engine hears of it with the next message."""
        self._retired.append((generation, number))

    def held(self) -> AbstractContextManager[Any]:
        """``with engine.held():`` keeps other threads out, so that several calls go to one process unless it ends."""
        return self._lock

    def close(self) -> None:
        """Ends the process; a later call starts a fresh one."""
        with self._lock:
            self._end()

    def _take_retired(self) -> list[int]:
        released = []
        while self._retired:
            generation, number = self._retired.popleft()
            if generation == self.generation:
                released.append(number)
        return released

    def _greet(self, program: str) -> None:
        self._asked = "hello"
        process = self._process
        assert process is not None
        try:
            head, _ = self._guarded(process.read)
        except EngineError as error:
            fault = node_fault(program) if self._command is None else None
            if fault is None:
                raise
            raise EngineError(fault) from error
        if head.get("hello") != "dojo-sim":
            self._end()
            raise EngineError(f"what was started is no engine: it said {head}")
        if head.get("protocol") != PROTOCOL or head.get("version") != __version__:
            self._end()
            raise VersionError(
                f"this is dojo_sim {__version__} (protocol {PROTOCOL}), and the engine is {head.get('version')} "
                f"(protocol {head.get('protocol')}); install both from one place, or build the clone again"
            )

    def _guarded(self, action: Callable[[], Any]) -> Any:
        """Whatever goes wrong in the middle of a message, no further one can be read: the process is ended."""
        try:
            return action()
        except (EOFError, ValueError, OSError):
            how, said = ("does not answer", "") if self._process is None else self._process.obituary()
            self._end(at_once=True)
            raise EngineError(
                f"the engine {how} while it was asked for {self._asked!r}; the next call starts a fresh one"
                + (f". It said: {said}" if said else "")
            ) from None
        except BaseException:
            self._end(at_once=True)
            raise

    def _own_process(self) -> _Process | None:
        """None where it is that of a parent which was forked."""
        return self._process if self._process is not None and self._process.is_own else None

    def _end(self, at_once: bool = False) -> None:
        process, self._process = self._process, None
        self._is_busy = False
        if self._finalizer is not None:
            self._finalizer.detach()
        if process is not None:
            process.end(at_once)


class Pool:
    """Engines that work at the same time. ``with Pool(2) as pool:`` ends them where the block ends."""

    def __init__(self, workers: int | None = None) -> None:
        count = cores() if workers is None else whole("workers", workers, 1)
        self.engines = [Engine() for _ in range(count)]

    @property
    def first(self) -> Engine:
        return self.engines[0]

    def close(self) -> None:
        """Ends the engines; a later call starts fresh ones."""
        for engine in self.engines:
            engine.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


#: Engine, method, parameters, arrays, and the generation of what it is about.
Question = tuple[Engine, str, Mapping[str, Any], Mapping[str, Array], int]


def ask_all(questions: Sequence[Question]) -> list[Reply]:
    """Asks several engines at once, each for one thing. Raises the first error when all have answered.

    What is no error of an engine, Ctrl-C above all, ends every engine that was asked: none goes on with what nobody waits for.
    """
    def asked() -> list[Reply]:
        for engine, method, _, _, generation in questions:
            engine._require(method, generation)
        return _all_of(_ask_each(questions))

    return _holding([engine for engine, *_ in questions], asked)


def ask_each(questions: Sequence[Question]) -> list[Reply | EngineError]:
    """The same for work that can be done again: an error of the engine itself, such as its end, stands in the place of its answer."""
    def asked() -> list[Reply | EngineError]:
        outcomes = _ask_each(questions)
        _all_of([outcome for outcome in outcomes if not isinstance(outcome, EngineError)])
        return [outcome for outcome in outcomes if isinstance(outcome, (tuple, EngineError))]

    return _holding([engine for engine, *_ in questions], asked)


Held = TypeVar("Held")


def _holding(engines: Sequence[Engine], action: Callable[[], Held]) -> Held:
    """Does it with the locks of all engines; a signal leaves none of them locked."""
    if not engines:
        return action()
    with engines[0]._lock:
        return _holding(engines[1:], action)


def _all_of(outcomes: Sequence[Reply | DojoError]) -> list[Reply]:
    for outcome in outcomes:
        if isinstance(outcome, DojoError):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, DojoError)]


def _ask_each(questions: Sequence[Question]) -> list[Reply | DojoError]:
    """An answer or an error for each."""
    asked: list[Engine] = []
    outcomes: list[Reply | DojoError | None] = []
    try:
        for engine, method, params, arrays, generation in questions:
            try:
                engine._require(method, generation)
                asked.append(engine)
                engine._send(method, params, arrays)
                outcomes.append(None)
            except DojoError as error:
                outcomes.append(error)
        replies: list[Reply | DojoError] = []
        for (engine, *_), outcome in zip(questions, outcomes):
            try:
                replies.append(engine._receive() if outcome is None else outcome)
            except DojoError as error:
                replies.append(error)
    except BaseException:
        for engine in asked:
            if engine._is_busy:
                engine._end(at_once=True)
        raise
    return replies


def cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


_engines: weakref.WeakSet[Engine] = weakref.WeakSet()
_default: Pool | None = None
_default_lock = threading.Lock()


def default_pool() -> Pool:
    """The engines that everything uses unless told otherwise: one per core, each started when first needed."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Pool()
        return _default


def _after_fork() -> None:
    """A child has engines of its own: it lets go of the pipes, so that the parent's engines end with the parent."""
    global _default_lock
    _default_lock = threading.Lock()
    for engine in list(_engines):
        engine._lock = threading.RLock()
        engine._end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
