"""What there is: models and environments."""

from __future__ import annotations

from .engine import default_pool

__all__ = ["environments", "models"]


def models() -> dict[str, str]:
    """The models of the library by name, with a line about each."""
    listed, _ = default_pool().first.call("list")
    return {model["name"]: model["summary"] for model in listed["models"]}


def environments() -> dict[str, str]:
    """The environments by name, with a line about each."""
    listed, _ = default_pool().first.call("list")
    return {environment["name"]: environment["summary"] for environment in listed["environments"]}
