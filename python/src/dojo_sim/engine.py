"""The engine: a process that answers messages over pipes, started when first asked.

An engine that has died is replaced on the next call. Whoever keeps things in it (numbers of simulations, say) compares
``generation`` to see whether they are still there.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import tempfile
import threading
import weakref
from collections import deque
from typing import IO, Any, Callable, Mapping, Sequence

from . import _frames
from ._frames import Array
from ._locate import engine_script, node
from .errors import EngineError, VersionError, error_of
from .version import __version__

__all__ = ["Engine", "Pool", "ask_all", "default_pool"]

PROTOCOL = 1
_chunk = 2**16
#: Seconds that an engine has to end by itself.
_patience = 2.0
_no_arrays: Mapping[str, Array] = {}

Reply = tuple[dict[str, Any], dict[str, Array]]


class Engine:
    """One process, used by one thread at a time; other threads wait for their turn."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = list(command) if command is not None else None
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes] | None = None
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._message = 0
        self._asked = "hello"
        #: Counts the processes: what an earlier one kept is gone.
        self.generation = 0
        # filled by finalizers, which may run in the middle of a call
        self._retired: deque[tuple[int, int]] = deque()
        _engines.add(self)

    @property
    def pid(self) -> int | None:
        """Of the process, where there is one."""
        return self._process.pid if self._process is not None and self._owner == os.getpid() else None

    def start(self) -> int:
        """Starts the process unless it runs. Returns the generation."""
        with self._lock:
            if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
                return self.generation
            if self._process is not None and self._owner == os.getpid():
                self._end()
            self._process = None
            self._owner = os.getpid()
            self.generation += 1
            command = self._command or [node(), str(engine_script()), "serve"]
            self._complaints = tempfile.TemporaryFile()
            try:
                self._process = subprocess.Popen(
                    command,
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._complaints,
                    # Ctrl-C is for Python, which then decides
                    start_new_session=True,
                )
            except OSError as error:
                raise EngineError(f"the engine cannot be started: {command[0]}: {error}") from error
            self._greet()
            return self.generation

    def call(
        self, method: str, params: Mapping[str, Any] | None = None, arrays: Mapping[str, Array] = _no_arrays
    ) -> Reply:
        """Asks, and waits for the answer."""
        with self._lock:
            self.send(method, params, arrays)
            return self.receive()

    def send(
        self, method: str, params: Mapping[str, Any] | None = None, arrays: Mapping[str, Array] = _no_arrays
    ) -> None:
        """Asks. ``receive`` has the answer; the engine is this thread's until then."""
        self._lock.acquire()
        try:
            self.start()
            self._message += 1
            head: dict[str, Any] = {"id": self._message, "method": method, "params": params or {}}
            released = self._take_retired()
            if released:
                head["release"] = released
            data = _frames.encode(head, arrays)
            self._asked = method
            self._guarded(lambda: self._write(data))
        except BaseException:
            self._lock.release()
            raise

    def receive(self) -> Reply:
        """The answer to the last ``send``."""
        try:
            head, arrays = self._guarded(self._read)
            if head.get("id") != self._message:
                fault = head.get("error")
                said = error_of(fault) if isinstance(fault, dict) else "it answered another message"
                self._end(at_once=True)
                raise EngineError(f"the engine lost track of its messages: {said}")
            if "error" in head:
                raise error_of(head["error"])
            return head.get("result", {}), arrays
        finally:
            self._lock.release()

    def retire(self, generation: int, number: int) -> None:
        """What has this number is needed no more. Safe in finalizers: the engine hears of it with the next message."""
        self._retired.append((generation, number))

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

    def _greet(self) -> None:
        self._asked = "hello"
        head, _ = self._guarded(self._read)
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
            raise EngineError(self._obituary()) from None
        except BaseException:
            self._end(at_once=True)
            raise

    def _write(self, data: bytes) -> None:
        process = self._process
        assert process is not None and process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[process.stdin.write(view) :]

    def _read(self) -> tuple[dict[str, Any], dict[str, Array]]:
        assert self._process is not None and self._process.stdout is not None
        fd = self._process.stdout.fileno()
        # most answers come whole
        data = bytearray()
        while len(data) < _frames.PREFIX.size:
            part = os.read(fd, _chunk)
            if not part:
                raise EOFError
            data += part
        head, body = _frames.sizes(bytes(data[: _frames.PREFIX.size]))
        payload = bytearray(head + body)
        have = len(data) - _frames.PREFIX.size
        if have > len(payload):
            raise EngineError("the engine said more than it announced")
        payload[:have] = data[_frames.PREFIX.size :]
        view = memoryview(payload)
        while have < len(payload):
            count = self._process.stdout.readinto(view[have:])  # type: ignore[attr-defined]
            if not count:
                raise EOFError
            have += count
        return _frames.decode(payload, head)

    def _obituary(self) -> str:
        """Why the process has died, as far as one can tell."""
        process = self._process
        code: int | None = None
        if process is not None:
            try:
                code = process.wait(_patience)
            except subprocess.TimeoutExpired:
                code = None
        said = ""
        if self._complaints is not None:
            self._complaints.seek(0)
            said = self._complaints.read()[-2000:].decode(errors="replace").strip()
        self._end(at_once=True)
        how = "does not answer" if code is None else f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"the engine {how} while it was asked for {self._asked!r}; the next call starts a fresh one" + (f". It said: {said}" if said else "")

    def _end(self, at_once: bool = False) -> None:
        process, self._process = self._process, None
        if self._complaints is not None:
            self._complaints.close()
            self._complaints = None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        if self._owner != os.getpid():
            # the parent's, of which this process has a copy since it was forked
            process.returncode = 0
            return
        try:
            process.wait(0 if at_once else _patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Pool:
    """Engines that work at the same time."""

    def __init__(self, workers: int | None = None) -> None:
        count = workers if workers is not None else cores()
        if count < 1:
            raise ValueError(f"workers: {count}; give 1 or more")
        self.engines = [Engine() for _ in range(count)]

    @property
    def first(self) -> Engine:
        return self.engines[0]

    def close(self) -> None:
        for engine in self.engines:
            engine.close()


def ask_all(calls: Sequence[tuple[Engine, str, Mapping[str, Any], Mapping[str, Array]]]) -> list[Reply]:
    """Asks several engines at once, each for one thing. Raises the first error when all have answered."""
    asked: list[Engine] = []
    failure: BaseException | None = None
    replies: list[Reply] = []
    for engine, method, params, arrays in calls:
        try:
            engine.send(method, params, arrays)
            asked.append(engine)
        except BaseException as error:
            failure = error
            break
    for engine in asked:
        try:
            replies.append(engine.receive())
        except BaseException as error:
            failure = failure or error
    if failure is not None:
        raise failure
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


@atexit.register
def _close_all() -> None:
    for engine in list(_engines):
        if engine._owner == os.getpid():
            engine.close()


def _after_fork() -> None:
    """A child has engines of its own: it lets go of the pipes, so that the parent's engines end with the parent."""
    global _default_lock
    _default_lock = threading.Lock()
    for engine in list(_engines):
        engine._lock = threading.RLock()
        engine._end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
