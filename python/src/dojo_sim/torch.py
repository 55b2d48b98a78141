"""Steps and rollouts as functions of PyTorch, with gradients through contact.

By default gradients are those of the forward pass. With ``smoothing`` (0.1 is usual) contacts act a little before they touch in the
backward pass alone: for searches that would learn nothing from what does not touch. With ``exact=True`` the forward pass ends at
``kappa`` (SI) too, and ``torch.autograd.gradcheck`` passes. Everything is computed in double precision. Gradients go backwards and once:
``torch.func`` and second derivatives are not supported.
"""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ._differentiable import DifferentiableRollout
from .errors import InputError
from .results import BODY_STATE_SIZE, ORIENTATION
from .simulation import Simulation

__all__ = ["rollout", "step"]


def rollout(
    simulation: Simulation,
    start: Tensor,
    inputs: Tensor,
    parameters: Mapping[str, Tensor] | None = None,
    *,
    coordinates: str = "maximal",
    kappa: float | None = None,
    relative_kappa: float | None = None,
    smoothing: float | None = None,
    exact: bool = False,
) -> Tensor:
    """States of rollouts, the start first: (..., steps + 1, numbers).

    ``start`` is (..., numbers), ``inputs`` (..., steps, inputs), and each of ``parameters`` a number or (...); what is the same
    for all may lack the leading dimensions. States are those of the bodies, 13 numbers each, whose quaternions are normalised
    first, or, with ``coordinates="minimal"``, joint positions and velocities.
    """
    start, inputs = torch.as_tensor(start), torch.as_tensor(inputs)
    values = [torch.as_tensor(value) for value in (parameters or {}).values()]
    for name, given in (("start", start), ("inputs", inputs), *zip(parameters or (), values)):
        if given.is_complex():
            raise InputError(f"{name}: cannot be read as numbers: complex numbers have no place here")
    how = DifferentiableRollout(simulation, tuple(parameters or ()), coordinates, kappa, relative_kappa, smoothing, exact)
    lead = how.leading(tuple(start.shape), tuple(inputs.shape), [tuple(value.shape) for value in values])
    first, rows, *columns = (given.to("cpu", torch.float64) for given in (start, inputs, *values))
    first = first.expand(*lead, first.shape[-1])
    rows = rows.expand(*lead, *rows.shape[-2:])
    table = torch.stack([column.expand(lead) for column in columns], -1) if columns else first.new_zeros(*lead, 0)
    if coordinates == "maximal":
        first = _normalised(first)
    states: Tensor = _Rollout.apply(how, first, rows, table)
    return states.to(start.device)


def step(
    simulation: Simulation,
    state: Tensor,
    input: Tensor,
    parameters: Mapping[str, Tensor] | None = None,
    *,
    coordinates: str = "maximal",
    kappa: float | None = None,
    relative_kappa: float | None = None,
    smoothing: float | None = None,
    exact: bool = False,
) -> Tensor:
    """The states after one step, as ``rollout`` has them: (..., numbers)."""
    states = rollout(
        simulation,
        state,
        torch.as_tensor(input).unsqueeze(-2),
        parameters,
        coordinates=coordinates,
        kappa=kappa,
        relative_kappa=relative_kappa,
        smoothing=smoothing,
        exact=exact,
    )
    return states[..., 1, :]


class _Rollout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, how: DifferentiableRollout, starts: Tensor, inputs: Tensor, values: Tensor) -> Tensor:
        needed = any(ctx.needs_input_grad[1:])
        ctx.how = how
        ctx.found = how.run(starts.detach().numpy(), inputs.detach().numpy(), values.detach().numpy(), needed)
        states = how.states(ctx.found, tuple(starts.shape[:-1]))
        return torch.from_numpy(np.ascontiguousarray(states))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, cotangents: Tensor) -> tuple[Tensor | None, ...]:
        return (None, *map(torch.from_numpy, ctx.how.pulled(ctx.found, cotangents.numpy())))


def _normalised(states: Tensor) -> Tensor:
    """With quaternions of length 1."""
    bodies = states.reshape(*states.shape[:-1], states.shape[-1] // BODY_STATE_SIZE, BODY_STATE_SIZE)
    turned = torch.nn.functional.normalize(bodies[..., ORIENTATION], dim=-1, eps=0.0)
    return torch.cat([bodies[..., :3], turned, bodies[..., 7:]], dim=-1).reshape(states.shape)
