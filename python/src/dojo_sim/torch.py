"""Steps and rollouts as functions of PyTorch, with gradients through contact.

By default the forward pass is sharp and the backward pass is that of the steps at ``kappa``, where contacts are smooth: useful
gradients, which are not those of the forward pass to the last digit. With ``exact=True`` the forward pass ends at the same
``kappa`` (SI), and ``torch.autograd.gradcheck`` passes. Everything is computed in double precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Mapping

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .batch import Rollouts
from .errors import GradientError, InputError
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
    exact: bool = False,
) -> Tensor:
    """States of rollouts, the start first: (..., steps + 1, numbers).

    ``start`` is (..., numbers), ``inputs`` (..., steps, inputs), and each of ``parameters`` a number or (...); what is the same
    for all may lack the leading dimensions. States are those of the bodies, 13 numbers each, whose quaternions are normalised
    first, or, with ``coordinates="minimal"``, joint positions and velocities.
    """
    if inputs.ndim < 2:
        raise InputError(f"inputs: has the shape {tuple(inputs.shape)}; give (..., steps, {simulation.input_size})")
    names = tuple(parameters or ())
    values = [torch.as_tensor(value) for value in (parameters or {}).values()]
    lead = np.broadcast_shapes(start.shape[:-1], inputs.shape[:-2], *(value.shape for value in values))
    count = math.prod(lead)
    device = start.device
    first = start.to("cpu", torch.float64).expand(*lead, start.shape[-1]).reshape(count, start.shape[-1])
    rows = inputs.to("cpu", torch.float64).expand(*lead, *inputs.shape[-2:]).reshape(count, *inputs.shape[-2:])
    columns = [value.to("cpu", torch.float64).expand(lead).reshape(count) for value in values]
    table = torch.stack(columns, dim=-1) if columns else torch.zeros(count, 0, dtype=torch.float64)
    if coordinates == "maximal":
        first = _normalised(first)
    how = _How(simulation, names, coordinates, kappa, relative_kappa, exact)
    states: Tensor = _Rollout.apply(how, first, rows, table)
    return states.reshape(*lead, *states.shape[1:]).to(device)


def step(
    simulation: Simulation,
    state: Tensor,
    input: Tensor,
    parameters: Mapping[str, Tensor] | None = None,
    *,
    coordinates: str = "maximal",
    kappa: float | None = None,
    relative_kappa: float | None = None,
    exact: bool = False,
) -> Tensor:
    """The states after one step, as ``rollout`` has them: (..., numbers)."""
    states = rollout(
        simulation,
        state,
        input.unsqueeze(-2),
        parameters,
        coordinates=coordinates,
        kappa=kappa,
        relative_kappa=relative_kappa,
        exact=exact,
    )
    return states[..., 1, :]


@dataclass(frozen=True)
class _How:
    simulation: Simulation
    names: tuple[str, ...]
    coordinates: str
    kappa: float | None
    relative_kappa: float | None
    exact: bool

    def run(self, starts: Any, inputs: Any, values: Any, gradients: bool) -> Rollouts:
        parameters = {name: values[:, j] for j, name in enumerate(self.names)}
        found = self.simulation.rollouts(
            starts,
            inputs,
            parameters=parameters,
            coordinates=self.coordinates,
            gradients=gradients,
            kappa=self.kappa,
            relative_kappa=self.relative_kappa,
            exact=self.exact,
            check=False,
        )
        if not found.solved:
            raise GradientError(f"a rollout has no end to differentiate: {found.reasons[0]}")
        return found


class _Rollout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, how: _How, starts: Tensor, inputs: Tensor, values: Tensor) -> Tensor:
        needed = any(ctx.needs_input_grad[1:])
        found = how.run(starts.detach().numpy(), inputs.detach().numpy(), values.detach().numpy(), needed)
        ctx.rollouts = found
        return torch.from_numpy(np.ascontiguousarray(found.states))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, cotangents: Tensor) -> tuple[Tensor | None, ...]:
        pulled = ctx.rollouts.pullback(cotangents.numpy())
        return (
            None,
            torch.from_numpy(pulled.starts),
            torch.from_numpy(pulled.inputs),
            torch.from_numpy(pulled.parameters),
        )


def _normalised(states: Tensor) -> Tensor:
    """With quaternions of length 1."""
    bodies = states.reshape(states.shape[0], -1, 13)
    turned = torch.nn.functional.normalize(bodies[..., 3:7], dim=-1, eps=0.0)
    return torch.cat([bodies[..., :3], turned, bodies[..., 7:]], dim=-1).reshape(states.shape)
