"""What stays in an engine until nobody needs it any more."""

from __future__ import annotations

import weakref
from contextlib import contextmanager
from typing import Any, Iterator, Mapping

from ._frames import Array
from ._pickling import no_pickle
from .engine import Engine, Reply
from .errors import EngineError, EngineReplaced

_no_arrays: Mapping[str, Array] = {}


class Tape:
    """The record of rollouts in one engine. It is given up with this object."""

    def __init__(self, engine: Engine, generation: int, number: int) -> None:
        self.engine = engine
        self.generation = generation
        self.number = number
        weakref.finalize(self, engine.retire, generation, number)

    __reduce__ = no_pickle("the record of a rollout stays in its engine and cannot be pickled; pickle its arrays, such as .states")

    def request(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of a message about it."""
        return {**params, "tape": self.number}

    def call(self, method: str, params: Mapping[str, Any], arrays: Mapping[str, Array] = _no_arrays) -> Reply:
        with lost_records():
            return self.engine.call(method, self.request(params), arrays, self.generation)


@contextmanager
def lost_records() -> Iterator[None]:
    """Says of a record what has become of it."""
    try:
        yield
    except EngineReplaced:
        raise EngineError("the record of this rollout was lost with its engine; roll out again") from None
