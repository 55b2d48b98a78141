"""What can go wrong, and whose doing it is."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Any, Iterator, Mapping

from ._words import camel, in_python

__all__ = ["DojoError", "DojoWarning", "EngineError", "GradientError", "InputError", "InternalError", "VersionError"]


class DojoError(Exception):
    """All errors of this package."""


class DojoWarning(UserWarning):
    """What a fit or a training found, and what to look at before trusting it."""


class InputError(DojoError, ValueError):
    """What was given cannot be used. ``code`` and ``path`` say what and where, for errors of the library."""

    def __init__(self, message: str, code: str | None = None, path: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.path = path


class GradientError(DojoError, ArithmeticError):
    """A step or a rollout has no gradients: more smoothing or a smaller time step may help."""


class EngineError(DojoError, RuntimeError):
    """The engine could not be started, has died, or said something that is no message. The next call starts a fresh one."""


class EngineReplaced(EngineError):
    """A question was about what an engine has kept that runs no more. Nobody was asked."""


class VersionError(EngineError):
    """Client and engine do not belong together."""


class InternalError(DojoError, RuntimeError):
    """A fault of the engine itself; its stack is in ``engine_stack``."""

    def __init__(self, message: str, engine_stack: str | None = None) -> None:
        super().__init__(message)
        self.engine_stack = engine_stack


_input_kinds = {"InputError", "ArgumentError", "DescriptionError", "FormatError", "StateError"}


def error_of(fault: Mapping[str, Any]) -> DojoError:
    """The exception for an error that the engine has answered with."""
    kind, message = str(fault.get("kind")), in_python(str(fault.get("message")))
    if kind in _input_kinds:
        return InputError(message, fault.get("code"), fault.get("path"))
    if kind == "NoGradientsError":
        return GradientError(message)
    if kind == "FrameError":
        return EngineError(f"the engine could not read a message: {message}; the next call starts a fresh one")
    return InternalError(f"{kind}: {message}", fault.get("stack"))


@contextmanager
def spelt_as(*settings: Mapping[str, Any]) -> Iterator[None]:
    """Errors within name settings as they were given, where the engine has them under names of its own."""
    try:
        yield
    except InputError as error:
        message = str(error)
        for name in (name for given in settings for name in given if camel(name) != name):
            message = re.sub(rf"\b{re.escape(camel(name))}\b", name.replace("\\", r"\\"), message)
        raise InputError(message, error.code, error.path) from None
