"""Arrays as the engine takes them."""

from __future__ import annotations

import math
import warnings
import operator
from numbers import Real
from typing import Any, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._frames import LARGEST_BODY
from .errors import InputError

Floats = NDArray[np.float64]


def floats(what: str, value: ArrayLike, *shape: int | None) -> Floats:
    """An array of float64 of this shape; None stands for any size."""
    try:
        given = np.asarray(value)
        kind = given.dtype.kind
        if np.ma.is_masked(value):
            raise TypeError("some are masked; fill them first")
        if kind not in "fiub" and not (kind == "O" and all(isinstance(entry, Real) for entry in given.flat)):
            raise TypeError("complex numbers have no place here" if kind == "c" else f"they are {given.dtype}")
        array = given.astype("<f8", copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what}: cannot be read as numbers: {error}") from None
    if shape and (array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape))):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise InputError(f"{what}: has the shape {array.shape}; give ({wanted})")
    return array


def number(what: str, value: Any) -> float:
    """A finite number."""
    array = floats(what, value)
    if array.ndim == 0 and not isinstance(value, (bool, np.bool_)) and np.isfinite(array):
        return float(array)
    raise InputError(f"{what}: {value!r}; give a finite number")


def positive(what: str, value: Any) -> float:
    """A finite number above 0."""
    found = number(what, value)
    if found > 0:
        return found
    raise InputError(f"{what}: {value}; give more than 0")


def whole(what: str, value: Any, least: int = 0) -> int:
    """A whole number."""
    try:
        found = operator.index(value)
    except TypeError:
        found = least - 1
    if isinstance(value, bool) or found < least:
        raise InputError(f"{what}: {value!r}; give a whole number, {least} or more")
    return found


def choice(what: str, value: Any, choices: Sequence[str]) -> str:
    if value in choices:
        return str(value)
    raise InputError(f"{what}: {value!r}; give one of {', '.join(choices)}")


def names_of(what: str, names: str | Iterable[str]) -> list[str]:
    """Names; a text is one of them, not a list of its letters."""
    listed = [names] if isinstance(names, str) else list(names)
    for name in listed:
        if not isinstance(name, str):
            raise InputError(f"{what}: {name!r} is no name")
    return listed


def stack(what: str, value: ArrayLike, size: int) -> Floats:
    """Rows of this many numbers, one or a stack of them of any shape."""
    array = floats(what, value)
    if array.ndim == 0 or array.shape[-1] != size:
        raise InputError(f"{what}: has the shape {array.shape}; give (..., {size})")
    return array


def place(what: str, name: str, names: Sequence[str]) -> int:
    """Where a name stands among names."""
    try:
        return names.index(name)
    except ValueError:
        raise InputError(f'there is no {what} "{name}" (have: {", ".join(names) or "none"})') from None


def path_params(kappa: float | None, relative_kappa: float | None) -> dict[str, Any]:
    """Where on the central path gradients are taken, as parameters of a message."""
    params: dict[str, Any] = {}
    if kappa is not None and relative_kappa is not None:
        raise InputError("kappa and relative_kappa say the same in other units; give one of them")
    for name, key, value in (("kappa", "kappa", kappa), ("relative_kappa", "relativeKappa", relative_kappa)):
        if value is not None:
            params[key] = positive(name, value)
    return params


def gradient_params(kappa: float | None, relative_kappa: float | None, smoothing: float | None) -> dict[str, Any]:
    """Where gradients are taken, as parameters of a message: at the end of each step if nothing is given."""
    if smoothing is None:
        if relative_kappa is not None:
            warnings.warn("relative_kappa of gradients is called smoothing now", DeprecationWarning, stacklevel=3)
        return path_params(kappa, relative_kappa)
    for name, other in (("kappa", kappa), ("relative_kappa", relative_kappa)):
        if other is not None:
            raise InputError(f"smoothing and {name} are given; give one of them")
    if smoothing == 0:
        return {"smoothing": 0.0}
    return {"smoothing": positive("smoothing", smoothing)}


def require_room(what: str, *shape: int) -> None:
    """Before hours of work: whether one message can hold so many numbers."""
    size = 8 * math.prod(shape)
    if size > LARGEST_BODY:
        raise InputError(f"{what} would be {size / 2**30:.1f} GiB, and a message holds 1; ask for fewer steps or fewer rollouts at a time")


#: How states are given: those of the bodies, or joint positions and velocities.
COORDINATES = ("maximal", "minimal")
