"""dojo-sim from Python: robots with hard contact, and gradients through it.

>>> import dojo_sim
>>> atlas = dojo_sim.Simulation("atlas")
>>> fall = atlas.rollout(steps=100)
"""

from __future__ import annotations

import importlib.util

from .batch import BatchGradient, Rollouts
from .engine import Engine, Pool, default_pool
from .errors import DojoError, DojoWarning, EngineError, GradientError, InputError, InternalError, VersionError
from .expressions import Comparison, Expression, Quantities
from .library import environments, models
from .notebook import View, view
from .results import (
    BodyState,
    ContactForces,
    GradientCheck,
    GradientCorner,
    Linearization,
    Pullback,
    StepGradients,
    StepResult,
    Touches,
    Trajectory,
)
from .runs import Fit, Plan, Run, Training, fit, plan, plan_tasks, train, training
from .simulation import ParameterValues, Simulation
from .tasks import EnvironmentData, environment
from .version import __version__

__all__ = [
    "BatchGradient",
    "BodyState",
    "Comparison",
    "ContactForces",
    "DojoError",
    "DojoWarning",
    "Engine",
    "EngineError",
    "EnvironmentData",
    "Expression",
    "Fit",
    "GradientCheck",
    "GradientCorner",
    "GradientError",
    "InputError",
    "InternalError",
    "Linearization",
    "ParameterValues",
    "Plan",
    "Pool",
    "Pullback",
    "Quantities",
    "Rollouts",
    "Run",
    "Simulation",
    "StepGradients",
    "StepResult",
    "Touches",
    "Training",
    "Trajectory",
    "VersionError",
    "View",
    "__version__",
    "default_pool",
    "environment",
    "environments",
    "fit",
    "models",
    "plan",
    "plan_tasks",
    "train",
    "training",
    "view",
]

if importlib.util.find_spec("gymnasium") is not None:
    # registers the environments
    from . import gym as gym
