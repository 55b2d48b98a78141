"""Steps and rollouts as functions of JAX, with gradients through contact: in jit, vmap and grad.

They go by ``jax.pure_callback`` and ``jax.custom_vjp``, in double precision: set ``jax_enable_x64``. What ``smoothing``,
``kappa`` and ``exact`` mean is said in ``dojo_sim.torch``. A callback must not remember anything, so the backward pass takes the steps once more.
"""

from __future__ import annotations

from typing import Any, Mapping

import jax
import jax.numpy as jnp
from jax import Array

from ._differentiable import DifferentiableRollout
from .errors import InputError
from .results import BODY_STATE_SIZE, ORIENTATION
from .simulation import Simulation

__all__ = ["rollout", "step"]


def rollout(
    simulation: Simulation,
    start: Array,
    inputs: Array,
    parameters: Mapping[str, Array] | None = None,
    *,
    coordinates: str = "maximal",
    kappa: float | None = None,
    relative_kappa: float | None = None,
    smoothing: float | None = None,
    exact: bool = False,
) -> Array:
    """States of rollouts, the start first: (..., steps + 1, numbers); arguments as in ``dojo_sim.torch.rollout``."""
    if not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        raise InputError('JAX computes in single precision; say jax.config.update("jax_enable_x64", True) first')
    columns = [_array(name, value) for name, value in (parameters or {}).items()]
    first, rows = _array("start", start), _array("inputs", inputs)
    how = DifferentiableRollout(simulation, tuple(parameters or ()), coordinates, kappa, relative_kappa, smoothing, exact)
    lead = how.leading(first.shape, rows.shape, [column.shape for column in columns])
    first = jnp.broadcast_to(first, (*lead, first.shape[-1]))
    rows = jnp.broadcast_to(rows, (*lead, *rows.shape[-2:]))
    table = jnp.stack([jnp.broadcast_to(column, lead) for column in columns], -1) if columns else jnp.zeros((*lead, 0))
    if coordinates == "maximal":
        first = _normalised(first)

    def forward(starts: Any, given: Any, values: Any) -> Any:
        return how.states(how.run(starts, given, values, False), starts.shape[:-1])

    def backward(starts: Any, given: Any, values: Any, cotangents: Any) -> Any:
        return how.pulled(how.run(starts, given, values, True), cotangents)

    def floats_of(shape: tuple[int, ...]) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(shape, jnp.float64)  # type: ignore[no-untyped-call]

    def call(starts: Array, given: Array, values: Array) -> Array:
        shape = (*starts.shape[:-1], given.shape[-2] + 1, starts.shape[-1])
        result: Array = jax.pure_callback(
            forward, floats_of(shape), starts, given, values, vmap_method="broadcast_all"
        )
        return result

    function = jax.custom_vjp(call)

    def fwd(starts: Array, given: Array, values: Array) -> tuple[Array, tuple[Array, Array, Array]]:
        return call(starts, given, values), (starts, given, values)

    def bwd(kept: tuple[Array, Array, Array], cotangents: Array) -> Any:
        shapes = tuple(floats_of(part.shape) for part in kept)
        return jax.pure_callback(backward, shapes, *kept, cotangents, vmap_method="broadcast_all")

    function.defvjp(fwd, bwd)
    states: Array = function(first, rows, table)
    return states


def step(
    simulation: Simulation,
    state: Array,
    input: Array,
    parameters: Mapping[str, Array] | None = None,
    *,
    coordinates: str = "maximal",
    kappa: float | None = None,
    relative_kappa: float | None = None,
    smoothing: float | None = None,
    exact: bool = False,
) -> Array:
    """The states after one step, as ``rollout`` has them: (..., numbers)."""
    states = rollout(
        simulation,
        state,
        _row(input),
        parameters,
        coordinates=coordinates,
        kappa=kappa,
        relative_kappa=relative_kappa,
        smoothing=smoothing,
        exact=exact,
    )
    return states[..., 1, :]


def _array(name: str, value: Any) -> Array:
    if jnp.iscomplexobj(value):
        raise InputError(f"{name}: cannot be read as numbers: complex numbers have no place here")
    return jnp.asarray(value, jnp.float64)


def _row(input: Any) -> Array:
    """As the inputs of one step."""
    given = jnp.asarray(input)
    return given[..., None, :] if given.ndim > 0 else given


def _normalised(states: Array) -> Array:
    """With quaternions of length 1."""
    bodies = states.reshape(*states.shape[:-1], states.shape[-1] // BODY_STATE_SIZE, BODY_STATE_SIZE)
    turned = bodies[..., ORIENTATION] / jnp.linalg.norm(bodies[..., ORIENTATION], axis=-1, keepdims=True)
    return jnp.concatenate([bodies[..., :3], turned, bodies[..., 7:]], axis=-1).reshape(states.shape)
