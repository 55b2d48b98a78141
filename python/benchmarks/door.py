"""The Python half of `npm run bench -- door`: times steps through the door, and prints them as JSON."""

import json
import sys
import time

import numpy as np

import dojo_sim
from dojo_sim.gym import DojoVectorEnv

copies, steps, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])

simulation = dojo_sim.Simulation("halfCheetah")
single = []
state = simulation.state()
end = time.perf_counter() + seconds
while time.perf_counter() < end:
    begin = time.perf_counter()
    state = simulation.step(state).next
    single.append(time.perf_counter() - begin)
    if len(single) % 500 == 0:
        state = simulation.state()

vector = DojoVectorEnv("half-cheetah", copies)
vector.reset(seed=1)
random = np.random.default_rng(0)
actions = random.uniform(-1, 1, (steps, copies, 6))
vector.rollout(actions)
messages, shares = [], []
end = time.perf_counter() + seconds
while time.perf_counter() < end:
    begin = time.perf_counter()
    vector.rollout(actions)
    messages.append(time.perf_counter() - begin)
    shares.append(vector.engine_seconds / messages[-1])
# those that nothing else on the machine has disturbed
many = steps * copies / float(np.percentile(messages, 5))
engines = len(dojo_sim.default_pool().engines)
found = {"stepMicroseconds": 1e6 * float(np.percentile(single, 5)), "vectorStepsPerSecond": many}
print(json.dumps({**found, "share": float(np.median(shares)), "engines": engines}))
