"""Arrays as the engine takes them."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError

Floats = NDArray[np.float64]


def floats(what: str, value: ArrayLike, *shape: int | None) -> Floats:
    """An array of float64 of this shape; None stands for any size."""
    try:
        array = np.asarray(value, dtype="<f8")
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: cannot be read as numbers: {error}") from None
    if shape and (array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape))):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise InputError(f"{what}: has the shape {array.shape}; give ({wanted})")
    return array


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
    if kappa is not None:
        params["kappa"] = float(kappa)
    if relative_kappa is not None:
        params["relativeKappa"] = float(relative_kappa)
    return params
