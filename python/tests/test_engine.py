"""The engine as a process: killed, fed with nonsense, opened a thousand times, forked, abandoned."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Callable, Iterator

import numpy as np
import pytest
from conftest import is_running

from dojo_sim import Engine, EngineError, InputError, Pool, Simulation, VersionError
from dojo_sim._frames import MAGIC, PREFIX, encode
from dojo_sim._locate import engine_script, node
from dojo_sim.engine import ask_all


def eventually(condition: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def once_asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, Callable[[], None]], None]]:
    """``once_asked(method, act)`` acts a moment after engines have been asked for this, however busy the machine is."""
    receive = Engine._receive
    timers: list[threading.Timer] = []

    def arrange(method: str, act: Callable[[], None]) -> None:
        def acting(engine: Engine) -> object:
            if engine._asked == method and not timers:
                timers.append(threading.Timer(0.2, act))
                timers[0].start()
            return receive(engine)

        monkeypatch.setattr(Engine, "_receive", acting)

    yield arrange
    assert timers, "nobody asked"
    timers[0].join()


def test_an_engine_killed_in_mid_call_is_replaced(
    own_engine: Pool, once_asked: Callable[[str, Callable[[], None]], None]
) -> None:
    simulation = Simulation("pendulum", pool=own_engine)
    mass = next(name for name in simulation.parameters if name.endswith(".mass"))
    simulation.parameters[mass] = 7.0
    state = simulation.state()
    expected = simulation.step(state).next
    first = own_engine.first.pid
    assert first is not None
    once_asked("rollout", lambda: os.kill(first, signal.SIGKILL))
    with pytest.raises(EngineError, match="killed by signal 9 while it was asked for 'rollout'; the next call starts a fresh one"):
        simulation.rollout(state, steps=10_000_000)
    # the next call opens the simulation again, parameters and all
    np.testing.assert_array_equal(simulation.step(state).next, expected)
    assert own_engine.first.pid != first
    assert not is_running(first)


def test_a_record_that_was_lost_says_so(own_engine: Pool) -> None:
    simulation = Simulation("pendulum", pool=own_engine)
    swing = simulation.rollout(steps=3, gradients=True)
    own_engine.close()
    with pytest.raises(EngineError, match="lost with its engine; roll out again"):
        swing.pullback(np.zeros((4, 13)))


def run_engine(data: bytes) -> tuple[int, bytes]:
    """Exit code and output of an engine that is fed these bytes."""
    done = subprocess.run([node(), str(engine_script()), "serve"], input=data, capture_output=True, timeout=60)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], None]], None]:
    """``hurried(method, act)`` acts just before an engine is asked for this for the first time."""

    def arrange(method: str, act: Callable[[], None]) -> None:
        call, waiting = Engine.call, [act]

        def acting(engine: Engine, asked: str, *given: object, **named: object) -> object:
            if asked == method and waiting:
                waiting.pop()()
            return call(engine, asked, *given, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(Engine, "call", acting)

    return arrange


def interrupt() -> None:
    raise KeyboardInterrupt


def kill(engine: Engine) -> None:
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    assert engine._process is not None
    engine._process._popen.wait()


def test_an_engine_that_ends_just_before_it_is_asked_does_not_answer_for_another_simulation(
    hurried: Callable[[str, Callable[[], None]], None],
) -> None:
    with Pool(1) as pool:
        simulation, other = Simulation("pendulum", pool=pool), Simulation("pendulum", pool=pool)
        other.parameters["gravity.z"] = 5.0
        state = simulation.state()
        expected = simulation.step(state).next

        def replace() -> None:
            kill(pool.first)
            # the first number of the fresh engine is the other's, and was this one's before
            other.step(state)

        hurried("step", replace)
        np.testing.assert_array_equal(simulation.step(state).next, expected)


def test_a_batch_is_asked_again_where_an_engine_ended_just_before(monkeypatch: pytest.MonkeyPatch) -> None:
    with Pool(2) as pool:
        simulation = Simulation("pendulum", pool=pool)
        starts = np.stack([simulation.state()] * 2)
        expected = simulation.rollouts(starts, steps=100).states
        place, waiting = Simulation._place, [pool.engines[1]]

        def placed(self: Simulation, *given: object) -> object:
            found = place(self, *given)  # type: ignore[arg-type]
            if given[0] in waiting:
                kill(waiting.pop())
            return found

        monkeypatch.setattr(Simulation, "_place", placed)
        np.testing.assert_array_equal(simulation.rollouts(starts, steps=100).states, expected)


def test_a_batch_is_done_again_where_an_engine_is_killed_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    with Pool(2) as pool:
        simulation = Simulation("pendulum", pool=pool)
        starts = np.stack([simulation.state()] * 4)
        expected = simulation.rollouts(starts, steps=100, gradients=True)
        cotangents = np.ones_like(expected.states)
        gradient = expected.pullback(cotangents)
        send, waiting = Engine._send, [pool.engines[1]]

        def sent(engine: Engine, method: str, *given: object) -> None:
            send(engine, method, *given)  # type: ignore[arg-type]
            if method == "rollouts" and engine in waiting:
                kill(waiting.pop())

        monkeypatch.setattr(Engine, "_send", sent)
        again = simulation.rollouts(starts, steps=100, gradients=True)
        assert not waiting
        np.testing.assert_array_equal(again.states, expected.states)
        np.testing.assert_array_equal(again.pullback(cotangents).starts, gradient.starts)

        waiting += [pool.engines[0], pool.engines[0]]
        with pytest.raises(EngineError, match="2 engines ended with rollouts 0 to 1; the last: the engine was killed by signal 9"):
            # long enough that no engine answers before it is killed
            simulation.rollouts(starts, steps=20000, keep="final")


def test_parameters_are_the_same_everywhere_after_an_idle_engine_was_killed() -> None:
    with Pool(2) as pool:
        simulation = Simulation("pendulum", pool=pool)
        starts = np.stack([simulation.state()] * 2)
        simulation.rollouts(starts, steps=100)
        kill(pool.engines[1])
        simulation.parameters["gravity.z"] = -2.0
        assert simulation.parameters["gravity.z"] == -2.0
        ends = simulation.rollouts(starts, steps=100).states
        np.testing.assert_array_equal(ends[0], ends[1])
        np.testing.assert_array_equal(ends[0], simulation.rollout(starts[0], steps=100).states)


def test_ctrl_c_while_a_parameter_is_changed_changes_it_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with Pool(2) as pool:
        simulation = Simulation("pendulum", pool=pool)
        starts = np.stack([simulation.state()] * 2)
        simulation.rollouts(starts, steps=100)
        call = Engine.call

        def interrupted(engine: Engine, *given: object, **named: object) -> object:
            if engine is pool.engines[1]:
                raise KeyboardInterrupt
            return call(engine, *given, **named)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(Engine, "call", interrupted)
            with pytest.raises(KeyboardInterrupt):
                simulation.parameters["gravity.z"] = -2.0
        assert simulation.parameters["gravity.z"] == -2.0
        ends = simulation.rollouts(starts, steps=100).states
        np.testing.assert_array_equal(ends[0], ends[1])


def test_ctrl_c_while_a_simulation_is_opened_again_leaves_none_with_the_parameters_of_its_file(
    own_engine: Pool, hurried: Callable[[str, Callable[[], None]], None]
) -> None:
    simulation = Simulation("pendulum", pool=own_engine)
    simulation.parameters["gravity.z"] = -2.0
    state = simulation.state()
    expected = simulation.step(state).next
    own_engine.close()
    hurried("setParameters", interrupt)
    with pytest.raises(KeyboardInterrupt):
        simulation.step(state)
    np.testing.assert_array_equal(simulation.step(state).next, expected)


def test_bytes_that_are_no_message_end_the_engine_with_a_word() -> None:
    for data in (b"GET / HTTP/1.1\r\n\r\n" * 4, PREFIX.pack(MAGIC, 8, 0, 0) + b"notjson "):
        code, said = run_engine(data)
        assert code == 2
        assert b"FrameError" in said
    for cut in (5, -8):
        code, said = run_engine(encode({"id": 1, "method": "list"}, {})[:cut])
        assert code == 2 and b"ended in the middle of a message" in said
    assert run_engine(b"")[0] == 0


def test_messages_that_are_well_formed_and_wrong_are_answered(own_engine: Pool) -> None:
    engine = own_engine.first
    random = np.random.default_rng(4)
    words = ["step", "open", "rollout", "pullback", "nothing", "__proto__", "constructor", ""]
    values = [None, True, -1, 1e300, "x", [], {}, {"a": [1]}, "description"]
    names = ["simulation", "tape", "steps", "model", "coordinates", "parameters", "count", "joints"]
    engine.start()
    pid = engine.pid
    for _ in range(300):
        method = words[random.integers(len(words))]
        params = {names[random.integers(len(names))]: values[random.integers(len(values))] for _ in range(4)}
        arrays = {"state": random.normal(size=random.integers(5)), "start": np.zeros(2, np.int32)}
        with pytest.raises(InputError):
            engine.call(method, params, arrays)
    assert engine.pid == pid


def fake(answer: str) -> list[str]:
    """A program in place of the engine, which writes what the expression gives and then listens."""
    program = f"import sys, struct, json; sys.stdout.buffer.write({answer}); sys.stdout.buffer.flush(); sys.stdin.buffer.read()"
    return [sys.executable, "-c", program]


def framed(head: str) -> str:
    return f"(lambda h: struct.pack('<4sIII', b'DOJO', len(h), 0, 0) + h)({head!r}.ljust(-(-len({head!r}) // 8) * 8).encode())"


def test_a_client_does_not_believe_everything() -> None:
    for answer, says in (
        ("b'hello, world! this is no engine'", "no message"),
        ("struct.pack('<4sIII', b'DOJO', 2**31, 8, 0)", "cannot be"),
        (framed("nonsense"), "no JSON"),
        (framed('{"arrays":{"x":["f8",9]}}'), "do not fit"),
        (framed('{"hello":"world"}'), "is no engine"),
    ):
        engine = Engine(fake(answer))
        with pytest.raises(EngineError, match=says):
            engine.call("list")
        assert engine.pid is None
    engine = Engine(fake(framed('{"hello":"dojo-sim","protocol":1,"version":"9.9.9"}')))
    with pytest.raises(VersionError, match="9.9.9"):
        engine.call("list")
    with pytest.raises(EngineError, match="cannot be started"):
        Engine(["/nowhere/node"]).call("list")
    with pytest.raises(EngineError, match="(?s)exit code 1.*Cannot find module"):
        Engine([node(), "/nowhere/main.js"]).call("list")


def test_fuzzed_answers_raise_and_nothing_else() -> None:
    from dojo_sim import _frames

    good = encode({"id": 1, "result": {}}, {"x": np.arange(3.0), "y": np.zeros((2, 2), np.uint8)})
    random = np.random.default_rng(5)
    for _ in range(2000):
        data = bytearray(good)
        for at in random.integers(len(data), size=random.integers(1, 4)):
            data[at] = random.integers(256)
        try:
            head, body = _frames.sizes(bytes(data[:16]))
            if head + body + 16 == len(data):
                _frames.decode(data[16:], head)
        except EngineError:
            pass


def rss(pid: int) -> float:
    """Resident megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.skipif(not Path("/proc").exists(), reason="reads memory from /proc")
def test_a_thousand_simulations_leave_memory_flat(own_engine: Pool) -> None:
    def some(count: int) -> float:
        for k in range(count):
            simulation = Simulation("pendulum", pool=own_engine)
            if k % 40 == 0:
                simulation.rollout(steps=2, gradients=True)
            if k % 2:
                simulation.close()
        pid = own_engine.first.pid
        assert pid is not None
        return rss(pid)

    sizes = [some(400), some(600)]
    # simulations that stay are 0.2 MB each or more, in every round; a busy machine collects garbage late in one
    while len(sizes) < 5 and sizes[-1] >= sizes[-2] + 60:
        sizes.append(some(600))
    assert sizes[-1] < sizes[-2] + 60, sizes


def test_an_engine_ends_with_its_client() -> None:
    program = "import dojo_sim, time; dojo_sim.models(); print(dojo_sim.default_pool().first.pid, flush=True); {then}"
    ends_itself, waits, works = "pass", "time.sleep(60)", "dojo_sim.Simulation('atlas').rollout(steps=10**7)"
    clients = {
        then: subprocess.Popen([sys.executable, "-c", program.format(then=then)], stdout=subprocess.PIPE)
        for then in (ends_itself, waits, works)
    }
    for then, client in clients.items():
        with client:
            assert client.stdout is not None
            pid = int(client.stdout.readline())
            if then != ends_itself:
                time.sleep(0.5 if then == works else 0)
                client.kill()
            client.wait()
        assert eventually(lambda: not is_running(pid)), then


@pytest.mark.filterwarnings("ignore:os.fork")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_has_an_engine_of_its_own(own_engine: Pool) -> None:
    simulation = Simulation("pendulum", pool=own_engine)
    state = simulation.state()
    expected = simulation.step(state).next
    first = own_engine.first.pid
    child = os.fork()
    if child == 0:
        same = np.array_equal(simulation.step(state).next, expected) and own_engine.first.pid != first
        own_engine.close()
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    np.testing.assert_array_equal(simulation.step(state).next, expected)
    assert own_engine.first.pid == first


def test_threads_take_turns(own_engine: Pool) -> None:
    simulation = Simulation("pendulum", pool=own_engine)
    state = simulation.state()
    expected = simulation.step(state).next
    wrong: list[int] = []

    def work() -> None:
        for _ in range(50):
            own = simulation.rollout(state, steps=1).final
            if not np.array_equal(own, expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_ctrl_c_ends_the_call_and_the_next_one_works(
    own_engine: Pool, once_asked: Callable[[str, Callable[[], None]], None]
) -> None:
    simulation = Simulation("pendulum", pool=own_engine)
    once_asked("rollout", lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        simulation.rollout(steps=10_000_000)
    assert simulation.step(simulation.state()).solved


def test_ctrl_c_in_a_batch_ends_all_engines_that_were_asked(
    once_asked: Callable[[str, Callable[[], None]], None],
) -> None:
    pool = Pool(2)
    simulation = Simulation("pendulum", pool=pool)
    start = simulation.state()
    simulation.rollouts(np.stack([start] * 2), steps=100)
    pids = [engine.pid for engine in pool.engines]
    once_asked("rollouts", lambda: os.kill(os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        simulation.rollouts(np.stack([start] * 2), steps=200_000_000, keep="final")
    # far less than the steps would take, which is many minutes
    assert time.monotonic() - begin < 100
    assert not any(is_running(pid) for pid in pids if pid is not None)
    assert simulation.rollouts(np.stack([start] * 2), steps=100).solved
    pool.close()


def test_a_signal_between_question_and_answer_leaves_no_lock(own_engine: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = own_engine.first
    engine.start()
    first = engine.pid

    def interrupted(_: Engine) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Engine, "_receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            engine.call("list")
        with pytest.raises(KeyboardInterrupt):
            ask_all([(engine, "list", {}, {}, engine.start())])
    free: list[bool] = []
    other = threading.Thread(target=lambda: free.append(engine._lock.acquire(timeout=60)))
    other.start()
    other.join()
    assert free == [True]
    engine._lock = threading.RLock()
    # what was asked is answered by nobody: the next question goes to a fresh process
    assert "models" in engine.call("list")[0]
    assert engine.pid != first


def test_the_engine_of_a_pool_that_is_dropped_ends() -> None:
    pool = Pool(1)
    pool.first.start()
    pid = pool.first.pid
    assert pid is not None and is_running(pid)
    del pool
    gc.collect()
    assert not is_running(pid)


def test_a_program_that_is_no_node_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOJO_SIM_NODE", sys.executable)
    with pytest.raises(EngineError, match="DOJO_SIM_NODE names .* which is no Node"):
        Engine().call("list")


def test_what_lives_in_an_engine_is_not_pickled(own_engine: Pool) -> None:
    simulation = Simulation("pendulum", pool=own_engine)
    for thing in (simulation, own_engine.first, own_engine, simulation.rollout(steps=1)):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(thing)


def test_a_simulation_that_was_closed_opens_again_and_is_given_up_again(own_engine: Pool) -> None:
    simulation = Simulation("pendulum", pool=own_engine)
    state = simulation.state()
    expected = simulation.step(state).next
    simulation.close()
    np.testing.assert_array_equal(simulation.step(state).next, expected)
    _, number = simulation._place(own_engine.first)
    del simulation
    gc.collect()
    with pytest.raises(InputError, match="not open"):
        own_engine.first.call("energy", {"simulation": number}, {"state": state})


def test_the_prefix_is_as_documented() -> None:
    data = encode({"a": 1}, {"x": np.arange(3, dtype=np.int32)})
    magic, head, body, zero = struct.unpack("<4sIII", data[:16])
    assert (magic, head % 8, body, zero) == (b"DOJO", 0, 16, 0)


def test_a_pool_ends_with_its_block_and_begins_again_when_it_is_asked() -> None:
    with Pool(1) as pool:
        pendulum = Simulation("pendulum", pool=pool)
        process = pool.first.pid
        assert process is not None
        state = pendulum.state()
        before = pendulum.step(state).next
    assert pool.first.pid is None
    np.testing.assert_array_equal(pendulum.step(state).next, before)
    pool.close()
