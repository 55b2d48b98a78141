"""What lives in another process, and so cannot be copied by pickling it."""

from __future__ import annotations

from typing import Any, Callable


def no_pickle(why: str) -> Callable[[Any], Any]:
    """A ``__reduce__`` that says why not, for pickle and for copy."""

    def refuse(self: Any) -> Any:
        raise TypeError(why)

    return refuse
