"""Environments as Gymnasium has them: check_env, seeds, vectors, pictures, replays."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import dojo_sim  # noqa: E402
from dojo_sim import EngineError, InputError, Pool  # noqa: E402
from dojo_sim.gym import DojoEnv, DojoVectorEnv, environment_ids  # noqa: E402


def test_every_environment_of_the_engine_has_a_name_here() -> None:
    assert set(environment_ids) == set(dojo_sim.environments())


@pytest.mark.parametrize("name", environment_ids)
def test_check_env(name: str) -> None:
    env = gymnasium.make(f"dojo_sim/{environment_ids[name]}", render_mode="rgb_array", width=32, height=24)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
    # it warns of observations without bounds, of bounds of actions other than one, and of nothing else
    messages = [str(one.message) for one in said]
    expected = ("Box observation space", "symmetric and normalized")
    assert [message for message in messages if not any(part in message for part in expected)] == []
    env.close()


@pytest.mark.parametrize("name", environment_ids)
def test_specs_know_the_length_of_an_episode(name: str) -> None:
    identifier = f"dojo_sim/{environment_ids[name]}"
    assert gymnasium.spec(identifier).max_episode_steps == DojoEnv(name)._copies.facts["horizon"]


def test_an_episode_is_as_long_as_asked() -> None:
    def lengths(env: gymnasium.Env, most: int) -> list[int]:
        found = []
        for _ in range(2):
            env.reset(seed=1)
            steps = 1
            while steps < most and not any(env.step(np.zeros(3))[2:4]):
                steps += 1
            found.append(steps)
        return found

    for given, steps in ({}, 80), ({"max_episode_steps": 7}, 7), ({"max_episode_steps": 200}, 200):
        assert lengths(gymnasium.make("dojo_sim/Box-v0", **given), 300) == [steps, steps]
        assert lengths(DojoEnv("box", **given), 300) == [steps, steps]
        many = gymnasium.make_vec("dojo_sim/Box-v0", num_envs=2, vectorization_mode="vector_entry_point", **given)
        many.reset(seed=1)
        ends = [many.step(np.zeros((2, 3)))[3].all() for _ in range(steps)]
        assert ends == [False] * (steps - 1) + [True]
        many.close()
    assert lengths(DojoEnv("box", max_episode_steps=-1), 300) == [300, 300]
    with pytest.raises(InputError, match="max_episode_steps"):
        DojoEnv("box", max_episode_steps=0)


def test_spaces_of_actions_are_bounded_and_actions_beyond_are_taken_where_nothing_clips_them() -> None:
    env = gymnasium.make("dojo_sim/HalfCheetah-v0")
    np.testing.assert_array_equal(env.action_space.low, -np.ones(6, np.float32))
    np.testing.assert_array_equal(env.action_space.high, np.ones(6, np.float32))
    ends = []
    for size in 1, 2:
        env.reset(seed=1)
        ends.append([env.step(np.full(6, float(size)))[0] for _ in range(3)][-1])
    assert not np.array_equal(*ends)
    many = DojoVectorEnv("half-cheetah", 2)
    many.reset(seed=1)
    actions = np.zeros((2, 6))
    actions[1, 4] = np.inf
    with pytest.raises(InputError, match="entry 4 of copy 1 is inf"):
        many.step(actions)


def test_equal_seeds_give_the_same_bits() -> None:
    one, two = (gymnasium.make("dojo_sim/Cartpole-v0") for _ in range(2))
    actions = np.random.default_rng(0).uniform(-1, 1, (30, 1))
    first, other = one.reset(seed=5)[0], two.reset(seed=5)[0]
    np.testing.assert_array_equal(first, other)
    for action in actions:
        a, b = one.step(action), two.step(action)
        np.testing.assert_array_equal(a[0], b[0])
        assert a[1:4] == b[1:4]
        if a[2] or a[3]:
            break
    with pytest.raises(InputError, match="reset"):
        while True:
            one.unwrapped.step(actions[0] * 100)


def test_steps_are_divided_by_a_tolerance() -> None:
    actions = np.full((20, 6), 0.3)

    def end(**options: float) -> np.ndarray:
        env = DojoEnv("half-cheetah", **options)
        env.reset(seed=1)
        last = [env.step(action)[0] for action in actions][-1]
        env.close()
        many = DojoVectorEnv("half-cheetah", 2, **options)
        many.reset(seed=[1, 2])
        rows = [many.step(np.stack([action, action]))[0] for action in actions]
        np.testing.assert_array_equal(rows[-1][0], last)
        many.close()
        return last

    whole, rough, fine, finest = end(), end(error_tolerance=1e-2), end(error_tolerance=1e-4), end(error_tolerance=1e-5)
    assert not np.array_equal(whole, rough)
    assert np.abs(fine - finest).max() < np.abs(whole - finest).max()
    with pytest.raises(InputError, match="error_tolerance"):
        DojoEnv("half-cheetah", error_tolerance=0)


def test_pictures_and_replays() -> None:
    env = DojoEnv("half-cheetah", render_mode="rgb_array", width=64, height=48)
    env.reset(seed=1)
    before = env.render()
    assert before.shape == (48, 64, 3) and before.dtype == np.uint8
    assert before.std() > 10
    env.step(np.ones(6, np.float32))
    assert not np.array_equal(env.render(), before)
    page = DojoEnv("pendulum", render_mode="html")
    page.reset(seed=1)
    for _ in range(3):
        page.step(np.zeros(1))
    text = page.render()
    assert text.startswith("<!doctype html>") and "dojo-replay" in text
    simulation = dojo_sim.Simulation("atlas")
    assert simulation.render(simulation.state(), width=40, height=30).shape == (30, 40, 3)
    drone = DojoEnv("quadrotor-waypoints", render_mode="rgb_array", width=128, height=128)
    drone.reset(seed=1)
    red, green, _ = np.moveaxis(drone.render().astype(int), -1, 0)
    # the waypoint
    assert (red > 2 * green + 40).sum() > 5
    with pytest.raises(InputError, match="render_mode"):
        DojoEnv("pendulum", render_mode="human")


def test_a_vector_is_its_copies() -> None:
    vector = gymnasium.make_vec("dojo_sim/Cartpole-v0", num_envs=5, vectorization_mode="vector_entry_point")
    assert vector.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    alone = [DojoEnv("cartpole") for _ in range(5)]
    observations, _ = vector.reset(seed=7)
    for k, env in enumerate(alone):
        np.testing.assert_array_equal(observations[k], env.reset(seed=7 + k)[0])
    over = [False] * 5
    random = np.random.default_rng(1)
    ended = 0
    for _ in range(120):
        actions = random.uniform(-1, 1, (5, 1)).astype(np.float32)
        observations, rewards, terminated, truncated, _ = vector.step(actions)
        for k, env in enumerate(alone):
            if over[k]:
                np.testing.assert_array_equal(observations[k], env.reset()[0])
                assert rewards[k] == 0 and not terminated[k]
                over[k] = False
                ended += 1
                continue
            expected = env.step(actions[k])
            np.testing.assert_array_equal(observations[k], expected[0])
            assert (rewards[k], terminated[k], truncated[k]) == expected[1:4]
            over[k] = bool(terminated[k] or truncated[k])
    assert ended > 3
    vector.close()


def test_many_steps_in_one_message_are_the_same_steps() -> None:
    modes = {mode: [DojoVectorEnv("cartpole", 4, autoreset_mode=mode) for _ in range(2)] for mode in ("NextStep", "SameStep")}
    actions = np.random.default_rng(2).uniform(-1, 1, (80, 4, 1))
    for mode, (one, many) in modes.items():
        for env in (one, many):
            env.reset(seed=3)
        whole = many.rollout(actions)
        for k, action in enumerate(actions):
            step = one.step(action)
            for part, expected in zip(whole[:4], step[:4]):
                np.testing.assert_array_equal(part[k], expected)
            if mode == "SameStep" and "final_obs" in step[4]:
                assert set(np.flatnonzero(step[4]["_final_obs"])) == set(np.flatnonzero(step[2] | step[3]))
    partly, _ = modes["SameStep"][0].reset(options={"reset_mask": np.array([True, False, False, True])})
    assert partly.shape == (4, 4)


def test_environments_of_an_engine_that_died_are_reset() -> None:
    pool = Pool(1)
    env = DojoVectorEnv("pendulum", 2, pool=pool)
    first, _ = env.reset(seed=1)
    pool.close()
    with pytest.raises(EngineError, match="reset them"):
        env.step(np.zeros((2, 1)))
    again, _ = env.reset(seed=1)
    np.testing.assert_array_equal(first, again)
    pool.close()


def test_options_are_the_engines() -> None:
    assert DojoEnv("half-cheetah", clip_reward=False).observation_space.shape == (18,)
    with pytest.raises(InputError, match=r'half-cheetah.clip_rewards: there is no "clip_rewards" .* did you mean "clip_reward"'):
        DojoEnv("half-cheetah", clip_rewards=False)
    with pytest.raises(InputError, match="did you mean"):
        DojoEnv("half-cheeta")


def test_an_action_that_is_no_number_moves_no_copy() -> None:
    env = DojoVectorEnv("pendulum", 4)
    env.reset(seed=0)
    actions = np.zeros((4, 1))
    actions[3] = np.nan
    with pytest.raises(InputError, match="copy 3"):
        env.step(actions)
    *_, info = env.step(np.zeros((4, 1)))
    assert list(info["steps"]) == [1, 1, 1, 1]
    env.close()


def test_a_reset_without_a_seed_recovers_from_a_lost_engine() -> None:
    pool = Pool(1)
    env = DojoEnv("pendulum", engine=pool.first)
    env.reset(seed=0)
    os.kill(pool.first.pid, signal.SIGKILL)
    with pytest.raises(EngineError):
        env.step(np.zeros(1))
    env.reset()
    env.step(np.zeros(1))
    pool.close()


def test_a_closed_environment_says_so_and_a_forgotten_one_is_given_up(own_engine: Pool) -> None:
    env = DojoEnv("pendulum", engine=own_engine.first)
    env.reset(seed=0)
    env.close()
    env.close()
    for act in (env.reset, lambda: env.step(np.zeros(1))):
        with pytest.raises(InputError, match="the environment is closed"):
            act()
    other = DojoEnv("pendulum", engine=own_engine.first)
    other.reset(seed=0)
    request = other._copies.request({})
    del other
    gc.collect()
    with pytest.raises(InputError, match="not open"):
        own_engine.first.call("environment.states", request)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(env)


@pytest.mark.parametrize("seed", [-1, 2**53, 1.5, True, "one"])
def test_seeds_that_the_engine_could_not_tell_apart_are_refused(seed: object) -> None:
    env, many = DojoEnv("pendulum"), DojoVectorEnv("pendulum", 2)
    for act in (lambda: env.reset(seed=seed), lambda: many.reset(seed=seed), lambda: many.reset(seed=[0, seed])):  # type: ignore[arg-type]
        with pytest.raises(InputError, match="2\\*\\*53"):
            act()


def test_seeds_of_numpy_and_lists_are_seeds() -> None:
    env, many = DojoEnv("pendulum"), DojoVectorEnv("pendulum", 2)
    one, _ = env.reset(seed=np.int64(2**53 - 1))  # type: ignore[arg-type]
    both, _ = many.reset(seed=[2**53 - 1, np.int32(3)])  # type: ignore[list-item]
    np.testing.assert_array_equal(one, both[0])
    np.testing.assert_array_equal(many.reset(seed=np.int64(3))[0][0], both[1])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="seed: has the shape"):
        many.reset(seed=[1, 2, 3])


def test_the_last_of_an_episode_is_where_gymnasium_has_it() -> None:
    names = {"final_obs", "_final_obs", "final_info", "_final_info"}
    how = {"num_envs": 3, "vectorization_mode": "vector_entry_point", "autoreset_mode": "SameStep"}
    ours = gymnasium.make_vec("dojo_sim/Cartpole-v0", **how)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    theirs = gymnasium.vector.SyncVectorEnv([lambda: DojoEnv("cartpole")] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    for env in (ours, theirs):
        env.reset(seed=[4, 5, 6])
    ended = 0
    for action in np.random.default_rng(0).uniform(-1, 1, (60, 3, 1)).astype(np.float32):
        (*_, one), (*_, other) = ours.step(action), theirs.step(action)
        assert names & set(one) == names & set(other)
        np.testing.assert_array_equal(one["status"], other["status"])
        np.testing.assert_array_equal(one["_status"], other["_status"])
        if "final_obs" not in one:
            continue
        np.testing.assert_array_equal(one["_final_obs"], other["_final_obs"])
        np.testing.assert_array_equal(one["_final_info"], other["_final_info"])
        for k in np.flatnonzero(one["_final_obs"]):
            ended += 1
            np.testing.assert_array_equal(one["final_obs"][k], other["final_obs"][k])
            assert one["final_info"]["status"][k] == other["final_info"]["status"][k] and one["final_info"]["_status"][k]
    assert ended > 2


def test_without_autoreset_it_is_one_step_at_a_time() -> None:
    env = DojoVectorEnv("pendulum", 2, autoreset_mode="Disabled")
    env.reset(seed=0)
    with pytest.raises(InputError, match="without autoreset give one"):
        env.rollout(np.zeros((3, 2, 1)))
    *_, info = env.step(np.zeros((2, 1)))
    assert list(info["steps"]) == [1, 1]
    with pytest.raises(InputError, match="autoreset_mode: 'Never'; give one of NextStep"):
        DojoVectorEnv("pendulum", 2, autoreset_mode="Never")
