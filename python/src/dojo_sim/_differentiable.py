"""Rollouts as functions of states, inputs and parameters with any leading dimensions: what PyTorch's and JAX's have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from ._values import COORDINATES, choice, gradient_params
from .batch import Rollouts, state_size
from .errors import GradientError, InputError
from .simulation import Simulation

Shape = tuple[int, ...]


@dataclass(frozen=True)
class DifferentiableRollout:
    """What does not change from call to call."""

    simulation: Simulation
    #: Of the parameters that are given.
    names: tuple[str, ...]
    coordinates: str
    kappa: float | None
    relative_kappa: float | None
    smoothing: float | None
    exact: bool

    def leading(self, start: Shape, inputs: Shape, parameters: Sequence[Shape]) -> Shape:
        """The leading dimensions that all have in common; refuses what does not fit, before anything runs."""
        choice("coordinates", self.coordinates, COORDINATES)
        gradient_params(self.kappa, self.relative_kappa, self.smoothing)
        if self.exact and self.kappa is None:
            raise InputError("exact: say at which kappa, in SI, the steps are to end")
        numbers, wanted = state_size(self.simulation, self.coordinates), self.simulation.input_size
        if not start or start[-1] != numbers:
            raise InputError(f"start: has the shape {start}; give (..., {numbers})")
        if len(inputs) < 2 or inputs[-1] != wanted:
            raise InputError(f"inputs: has the shape {inputs}; give (..., steps, {wanted})")
        for name in self.names:
            if "*" not in name and name not in self.simulation.parameters:
                raise InputError(f'there is no parameter "{name}"; list(simulation.parameters) has all')
        try:
            return np.broadcast_shapes(start[:-1], inputs[:-2], *parameters)
        except ValueError:
            given = ", ".join(map(str, (start[:-1], inputs[:-2], *parameters)))
            raise InputError(f"the leading dimensions of start, inputs and parameters do not fit together: {given}") from None

    def run(self, starts: Any, inputs: Any, values: Any, gradients: bool) -> Rollouts:
        """Of arrays with equal leading dimensions, which are made one; the last of ``values`` is that of the parameters."""
        starts, inputs, values = (np.asarray(part, np.float64) for part in (starts, inputs, values))
        count = math.prod(starts.shape[:-1])
        table = values.reshape(count, len(self.names))
        found = self.simulation.rollouts(
            starts.reshape(count, starts.shape[-1]),
            inputs.reshape(count, *inputs.shape[-2:]),
            parameters={name: table[:, j] for j, name in enumerate(self.names)},
            coordinates=self.coordinates,
            gradients=gradients,
            kappa=self.kappa,
            relative_kappa=self.relative_kappa,
            smoothing=self.smoothing,
            exact=self.exact,
            check=False,
        )
        if not found.solved:
            raise GradientError(f"a rollout has no end to differentiate: {found.reasons[0]}")
        return found

    def states(self, found: Rollouts, lead: Shape) -> Any:
        """Of a run, with the leading dimensions back."""
        return found.states.reshape(*lead, *found.states.shape[1:])

    def pulled(self, found: Rollouts, cotangents: Any) -> tuple[Any, Any, Any]:
        """Gradients with respect to starts, inputs and values, with the leading dimensions of the cotangents."""
        given = np.asarray(cotangents, np.float64)
        back = found.pullback(given.reshape(found.states.shape))
        lead = given.shape[:-2]
        starts, inputs, values = (part.reshape(*lead, *part.shape[1:]) for part in (back.starts, back.inputs, back.parameters))
        return starts, inputs, values
