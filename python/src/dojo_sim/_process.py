"""The process of an engine, and the pipes to it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import Any, Sequence

from . import _frames
from ._frames import Array
from .errors import EngineError

_chunk = 2**16
#: Seconds that an engine has to end by itself.
_patience = 2.0


class Process:
    """Started with the object; it belongs to the Python process that started it, and not to a fork of that."""

    def __init__(self, command: Sequence[str]) -> None:
        self._owner = os.getpid()
        self._complaints = tempfile.TemporaryFile()
        try:
            self._popen: subprocess.Popen[bytes] = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                # Ctrl-C is for Python, which then decides
                start_new_session=True,
            )
        except OSError as error:
            self._complaints.close()
            raise EngineError(f"the engine cannot be started: {command[0]}: {error}") from error

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def is_own(self) -> bool:
        return self._owner == os.getpid()

    @property
    def is_running(self) -> bool:
        return self._popen.poll() is None

    def write(self, data: bytes) -> None:
        pipe = self._popen.stdin
        assert pipe is not None
        view = memoryview(data)
        while view:
            view = view[pipe.write(view) :]

    def read(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The next message."""
        pipe = self._popen.stdout
        assert pipe is not None
        fd = pipe.fileno()
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
            count = pipe.readinto(view[have:])  # type: ignore[attr-defined]
            if not count:
                raise EOFError
            have += count
        return _frames.decode(payload, head)

    def obituary(self) -> tuple[str, str]:
        """How the process has ended, as far as one can tell, and its last words."""
        try:
            code = self._popen.wait(_patience)
        except subprocess.TimeoutExpired:
            return "does not answer", ""
        self._complaints.seek(0)
        said = self._complaints.read()[-2000:].decode(errors="replace").strip()
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}", said

    def end(self, at_once: bool = False) -> None:
        """Lets it end by itself, or not. Again and again is fine."""
        for pipe in (self._popen.stdin, self._popen.stdout, self._complaints):
            if pipe is not None:
                pipe.close()
        if not self.is_own:
            # the parent's, of which this process has a copy since it was forked
            self._popen.returncode = 0
            return
        if self._popen.returncode is not None:
            return
        try:
            self._popen.wait(0 if at_once else _patience)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
