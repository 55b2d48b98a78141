"""The same bits as in Node, model by model."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import numpy as np

import dojo_sim

STEPS = 120
#: Steps that go one per message; the others come in one rollout.
SINGLE = 30


def inputs_of(size: int) -> np.ndarray:
    """Multiples of 1/8, which both languages compute without rounding."""
    k, i = np.indices((STEPS, size))
    return ((7 * k + 3 * i) % 11) * 0.125 - 0.625


def test_every_model_has_the_bits_of_node(root: Path) -> None:
    command = ["node", "--import", "tsx", "test/python/nodeBits.ts", str(STEPS)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as node:
        found = {}
        for name in dojo_sim.models():
            with dojo_sim.Simulation(name) as simulation:
                inputs = inputs_of(simulation.input_size)
                states = [simulation.state()]
                for k in range(SINGLE):
                    result = simulation.step(states[-1], inputs[k])
                    if not result.solved:
                        break
                    states.append(result.next)
                else:
                    # goes on where the last step ended
                    rest = simulation.rollout(states[-1], inputs[SINGLE:], check=False)
                    states.extend(rest.states[1:])
                hash = hashlib.sha256(b"".join(state.tobytes() for state in states))
                found[name] = [hash.hexdigest(), len(states) - 1]
        expected = json.load(node.stdout)  # type: ignore[arg-type]
    assert len(found) >= 20
    assert found == expected
    assert sum(steps for _, steps in found.values()) > 0.9 * STEPS * len(found)
