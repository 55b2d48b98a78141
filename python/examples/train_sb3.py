"""PPO of stable-baselines3 learns to balance a pole: python train_sb3.py [steps [environments]]"""

import sys

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import dojo_sim  # noqa: F401  (registers the environments)

steps, count = [int(word) for word in sys.argv[1:]] + [50_000, 8][len(sys.argv) - 1 :]
environments = make_vec_env("dojo_sim/Cartpole-v0", n_envs=count, seed=0)
model = PPO("MlpPolicy", environments, n_steps=64, batch_size=128, gae_lambda=0.9, gamma=0.98, n_epochs=8, seed=0)

before, _ = evaluate_policy(model, environments, n_eval_episodes=5)
model.learn(steps)
after, _ = evaluate_policy(model, environments, n_eval_episodes=5)
print(f"return before: {before:.1f}, after {steps} steps: {after:.1f} (of 200)")
