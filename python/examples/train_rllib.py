"""PPO of Ray RLlib on the half-cheetah, each worker with an engine of its own: python train_rllib.py [iterations]"""

import sys

import gymnasium
import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env


def make(_: object) -> gymnasium.Env:
    import dojo_sim  # noqa: F401  (each worker registers the environments for itself)

    env = gymnasium.make("dojo_sim/HalfCheetah-v0")
    # RLlib wants bounds
    return gymnasium.wrappers.RescaleAction(env, np.float32(-1), np.float32(1)) if env.action_space.is_bounded() else env


register_env("half-cheetah", make)
config = (
    PPOConfig()
    .environment("half-cheetah")
    .env_runners(num_env_runners=1, rollout_fragment_length=200)
    .training(train_batch_size_per_learner=400, minibatch_size=100, num_epochs=2)
)
algorithm = config.build_algo()
for iteration in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
    result = algorithm.train()
    print(f"{iteration}: mean return {result['env_runners'].get('episode_return_mean', float('nan')):.2f}")
algorithm.stop()
