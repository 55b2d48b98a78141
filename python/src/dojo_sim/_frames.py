"""Messages to and from the engine, the same in both directions; numbers are little-endian.

=============  ==========================================================================
bytes 0 to 3   ``DOJO``
bytes 4 to 7   size of the head, u32
bytes 8 to 11  size of the body, u32
bytes 12 to 15 zero
head           JSON in UTF-8, padded with blanks to a multiple of 8 bytes
body           the arrays that the head lists, in order, each padded to a multiple of 8 bytes
=============  ==========================================================================
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from .errors import EngineError, InputError

Array = NDArray[Any]

PREFIX = struct.Struct("<4sIII")
MAGIC = b"DOJO"
LARGEST_HEAD = 64 * 2**20
LARGEST_BODY = 2**30

_kind_of: dict[np.dtype[Any], str] = {np.dtype("<f8"): "f8", np.dtype("<i4"): "i4", np.dtype("u1"): "u1"}
_dtype_of: dict[str, np.dtype[Any]] = {kind: dtype for dtype, kind in _kind_of.items()}
_padding = [b"\0" * k for k in range(8)]


def encode(head: dict[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a message."""
    body: list[Any] = []
    size = 0
    if arrays:
        listed = {}
        for name, array in arrays.items():
            if not array.flags.c_contiguous:
                array = np.ascontiguousarray(array)
            listed[name] = [_kind_of[array.dtype], *array.shape]
            data = array.tobytes()
            rest = -len(data) % 8
            body += (data, _padding[rest])
            size += len(data) + rest
        head["arrays"] = listed
    text = json_of(head).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > LARGEST_HEAD or size > LARGEST_BODY:
        raise InputError(f"a message of {len(text) + size} bytes is too long; send fewer steps or fewer rollouts at a time")
    return b"".join((PREFIX.pack(MAGIC, len(text), size, 0), text, *body))


def json_of(value: Any, what: str = "") -> str:
    """JSON, also of NumPy's numbers and arrays. What has no JSON is an ``InputError`` that says where it stands."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False, default=_plain)
    except (TypeError, ValueError):
        raise InputError(_no_json(value, what) or f"{what or 'a message'}: cannot be written as JSON") from None


def _plain(value: Any) -> Any:
    """What JSON has for it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


def _no_json(value: Any, where: str) -> str | None:
    """The first part of a value that has no JSON, and its place."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if value is None or isinstance(value, (str, int)):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{where}: {value}; give a finite number"
    if isinstance(value, Mapping):
        parts = [(key, f"{where}.{key}" if where else str(key), part) for key, part in value.items()]
        for key, place, part in parts:
            if not isinstance(key, str):
                return f"{where}: has the key {key!r}; give a text"
            # those of a message are known by their names
            found = _no_json(part, "" if place == "params" else place)
            if found is not None:
                return found
        return None
    if isinstance(value, (list, tuple)):
        return next((found for i, part in enumerate(value) if (found := _no_json(part, f"{where}[{i}]"))), None)
    return f"{where}: {type(value).__name__} {value!r} cannot be written as JSON; give a number, a text, a list or a dict"


def sizes(prefix: bytes) -> tuple[int, int]:
    """Sizes of the head and the body that follow a prefix."""
    magic, head, body, zero = PREFIX.unpack(prefix)
    if magic != MAGIC or zero != 0:
        raise EngineError(f"the engine said something that is no message: {prefix!r}")
    if not 0 < head <= LARGEST_HEAD or body > LARGEST_BODY or head % 8 or body % 8:
        raise EngineError(f"the engine announced a message of {head} and {body} bytes, which cannot be")
    return head, body


def decode(payload: bytearray, head_size: int) -> tuple[dict[str, Any], dict[str, Array]]:
    """Head and arrays of a message; the arrays are views of the payload and may be written to."""
    try:
        head = json.loads(payload[:head_size])
    except ValueError as error:
        raise EngineError(f"the engine sent a head that is no JSON: {error}") from None
    if not isinstance(head, dict):
        raise EngineError("the engine sent a head that is no JSON object")
    arrays: dict[str, Array] = {}
    at = head_size
    listed = head.get("arrays", {})
    try:
        for name, (kind, *shape) in listed.items():
            dtype = _dtype_of[kind]
            count = math.prod(shape)
            arrays[name] = np.frombuffer(payload, dtype, count, at).reshape(shape)
            at += -(-count * dtype.itemsize // 8) * 8
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise EngineError(f"the engine sent arrays that do not fit its message: {error!r}") from None
    if at != len(payload):
        raise EngineError(f"the engine sent {len(payload) - at} bytes that belong to no array")
    return head, arrays
