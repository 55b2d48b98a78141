"""A robot is dropped, and its torques are changed along their gradient until it ends up higher: python first_gradient.py [file]"""

import sys
from pathlib import Path

import torch

import dojo_sim
import dojo_sim.torch

here = Path(__file__).resolve()
robot = dojo_sim.Simulation(sys.argv[1] if len(sys.argv) > 1 else here.parents[2] / "test/fixtures/quadruped.urdf")
height = robot.bodies.index("trunk") * 13 + 2  # a state has 13 numbers per body; z is the third
start = torch.tensor(robot.state(floating_base=[0, 0, 0.4, 0, 0, 0]))
torques = torch.zeros(50, robot.input_size, dtype=torch.float64, requires_grad=True)
adam = torch.optim.Adam([torques], lr=0.5)

for iteration in range(30):
    adam.zero_grad()
    # smoothed, the gradient feels the floor before the feet touch it
    states = dojo_sim.torch.rollout(robot, start, torques, smoothing=0.1)
    loss = -states[-1, height] + 1e-5 * torques.square().sum()
    loss.backward()
    adam.step()
    print(f"{iteration:2d}  height after {50 * robot.timestep:.1f} s: {states[-1, height]:.4f} m")
