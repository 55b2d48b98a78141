"""Steps and rollouts as functions of JAX, with gradients through contact: in jit, vmap and grad.

They go by ``jax.pure_callback`` and ``jax.custom_vjp``, in double precision: set ``jax_enable_x64``. What ``kappa`` and ``exact``
mean is said in ``dojo_sim.torch``. A callback must not remember anything, so the backward pass takes the steps once more.
"""

from __future__ import annotations

from typing import Any, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from .batch import Rollouts
from .errors import GradientError, InputError
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
    exact: bool = False,
) -> Array:
    """States of rollouts, the start first: (..., steps + 1, numbers); arguments as in ``dojo_sim.torch.rollout``."""
    if not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        raise InputError('JAX computes in single precision; say jax.config.update("jax_enable_x64", True) first')
    names = tuple(parameters or ())
    columns = [jnp.asarray(value, jnp.float64) for value in (parameters or {}).values()]
    first, rows = jnp.asarray(start, jnp.float64), jnp.asarray(inputs, jnp.float64)
    lead = jnp.broadcast_shapes(first.shape[:-1], rows.shape[:-2], *(column.shape for column in columns))
    first = jnp.broadcast_to(first, (*lead, first.shape[-1]))
    rows = jnp.broadcast_to(rows, (*lead, *rows.shape[-2:]))
    table = jnp.stack([jnp.broadcast_to(column, lead) for column in columns], -1) if columns else jnp.zeros((*lead, 0))
    if coordinates == "maximal":
        first = _normalised(first)

    def run(starts: Any, given: Any, values: Any, gradients: bool) -> tuple[Rollouts, tuple[int, ...]]:
        starts, given, values = (np.asarray(part, np.float64) for part in (starts, given, values))
        outer = starts.shape[:-1]
        count = int(np.prod(outer))
        table = values.reshape(count, len(names))
        found = simulation.rollouts(
            starts.reshape(count, starts.shape[-1]),
            given.reshape(count, *given.shape[-2:]),
            parameters={name: table[:, j] for j, name in enumerate(names)},
            coordinates=coordinates,
            gradients=gradients,
            kappa=kappa,
            relative_kappa=relative_kappa,
            exact=exact,
            check=False,
        )
        if not found.solved:
            raise GradientError(f"a rollout has no end to differentiate: {found.reasons[0]}")
        return found, outer

    def forward(starts: Any, given: Any, values: Any) -> Any:
        found, outer = run(starts, given, values, False)
        return found.states.reshape(*outer, *found.states.shape[1:])

    def backward(starts: Any, given: Any, values: Any, cotangents: Any) -> Any:
        found, outer = run(starts, given, values, True)
        pulled = found.pullback(np.asarray(cotangents, np.float64).reshape(found.states.shape))
        return tuple(part.reshape(*outer, *part.shape[1:]) for part in (pulled.starts, pulled.inputs, pulled.parameters))

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
    exact: bool = False,
) -> Array:
    """The states after one step, as ``rollout`` has them: (..., numbers)."""
    states = rollout(
        simulation,
        state,
        jnp.asarray(input)[..., None, :],
        parameters,
        coordinates=coordinates,
        kappa=kappa,
        relative_kappa=relative_kappa,
        exact=exact,
    )
    return states[..., 1, :]


def _normalised(states: Array) -> Array:
    """With quaternions of length 1."""
    bodies = states.reshape(*states.shape[:-1], -1, 13)
    turned = bodies[..., 3:7] / jnp.linalg.norm(bodies[..., 3:7], axis=-1, keepdims=True)
    return jnp.concatenate([bodies[..., :3], turned, bodies[..., 7:]], axis=-1).reshape(states.shape)
