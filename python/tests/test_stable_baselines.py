"""Every environment as stable-baselines3 takes it: checked, and trained by PPO and SAC as it is."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")

from stable_baselines3 import PPO, SAC  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402

from dojo_sim.gym import environment_ids  # noqa: E402


@pytest.mark.parametrize("name", environment_ids)
def test_check_env(name: str) -> None:
    env = gymnasium.make(f"dojo_sim/{environment_ids[name]}")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(env)
    # three environments have bounds other than one
    assert [str(one.message) for one in said if "symmetric and normalized" not in str(one.message)] == []
    env.close()


@pytest.mark.nightly
@pytest.mark.parametrize("name", environment_ids)
@pytest.mark.parametrize("method", ["PPO", "SAC"])
def test_trains(name: str, method: str) -> None:
    env = gymnasium.make(f"dojo_sim/{environment_ids[name]}")
    if method == "PPO":
        model = PPO("MlpPolicy", env, n_steps=128, batch_size=64, n_epochs=1, seed=0)
    else:
        model = SAC("MlpPolicy", env, learning_starts=64, batch_size=32, train_freq=32, seed=0)
    before = [one.detach().clone() for one in model.policy.parameters()]
    model.learn(256)
    assert model.num_timesteps == 256
    after = list(model.policy.parameters())
    assert all(bool(one.isfinite().all()) for one in after)
    assert any(bool((one != other).any()) for one, other in zip(before, after))
    observation, _ = env.reset(seed=1)
    action, _ = model.predict(observation, deterministic=True)
    assert env.action_space.contains(action)
    assert np.isfinite(env.step(action)[1])
    env.close()
