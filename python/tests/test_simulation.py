"""Simulations: states by name, parameters, contacts, sensors, against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dojo_sim
from dojo_sim import InputError, Simulation

G = 9.81


@pytest.fixture(scope="module")
def pendulum() -> Simulation:
    return Simulation("pendulum")


def box(mass: float = 2.0) -> dict[str, object]:
    """A box of half a metre on four corners, as a description."""
    corners = [[x, y, -0.25] for x in (-0.25, 0.25) for y in (-0.25, 0.25)]
    return {
        "name": "box",
        "timestep": 0.01,
        "bodies": {
            "box": {
                "mass": mass,
                "inertia": [[mass / 24, 0, 0], [0, mass / 24, 0], [0, 0, mass / 24]],
                "shapes": [{"kind": "box", "size": [0.5, 0.5, 0.5]}],
            }
        },
        "joints": {"base": {"kind": "floating", "parent": "world", "child": "box"}},
        "contacts": [
            {"model": "cone", "name": f"c{i}", "body": "box", "point": p, "frictionCoefficient": 0.5} for i, p in enumerate(corners)
        ],
    }


def test_a_start_is_put_down() -> None:
    simulation = Simulation(box())
    high, low = {"base": [0.5, 0, 3, 0, 0, 0]}, {"base": [0.5, 0, -1, 0, 0, 0]}
    for joints in (high, low):
        start = simulation.state(on_ground=True, **joints)
        np.testing.assert_allclose(simulation.body(start, "box").position, [0.5, 0, 0.25], atol=1e-8)
        assert simulation.check_state(start) == []
    raised = simulation.state("zero", **high)
    np.testing.assert_allclose(simulation.project_state(raised, on_ground=True)[2], 0.25, atol=1e-8)


def test_a_free_fall_is_that_of_the_integrator() -> None:
    simulation = Simulation(box())
    start = simulation.state("zero", base=[0, 0, 10, 0, 0, 0])
    fall = simulation.rollout(start, steps=50)
    # velocities are means over steps: z_k = z_0 − g h² k (k + 1) / 2
    k = np.arange(51)
    expected = 10 - G * 1e-4 * k * (k + 1) / 2
    np.testing.assert_allclose(fall.body("box").position[:, 2], expected, atol=1e-9)
    assert fall.times[-1] == pytest.approx(0.5)
    np.testing.assert_array_equal(fall.joint("base")[:, 2], fall.body("box").position[:, 2])


def test_contacts_bear_the_weight() -> None:
    simulation = Simulation(box(3.0))
    start = simulation.state("zero", base=[0, 0, 0.25, 0, 0, 0])
    rest = simulation.rollout(start, steps=30)
    weight = 3.0 * G
    # to the solver's tolerance
    assert rest.contacts().normal[-1].sum() == pytest.approx(weight, rel=1e-5)
    assert simulation.contacts().normal.sum() == pytest.approx(weight, rel=1e-5)
    assert simulation.touch("box") == pytest.approx(weight, rel=1e-5)
    acceleration, spin = simulation.imu("box", rest.states[-2], rest.states[-1])
    np.testing.assert_allclose(acceleration, [0, 0, G], atol=1e-4)
    np.testing.assert_allclose(spin, 0, atol=1e-6)
    assert rest.contacts()["c1"].force.shape == (30, 3)


def test_parameters_by_name_change_the_motion(pendulum: Simulation) -> None:
    simulation = Simulation("pendulum")
    name = next(name for name in simulation.parameters if name.endswith(".mass"))
    state = simulation.state()
    before = simulation.energy(state)["potential"]
    simulation.parameters[name] = 2 * simulation.parameters[name]
    assert simulation.energy(state)["potential"] == pytest.approx(2 * before, rel=1e-12)
    simulation.parameters.update({"gravity.z": 0.0})
    assert simulation.parameters["gravity.z"] == 0
    assert simulation.energy(state)["potential"] == 0
    # another simulation of the same model keeps its own
    assert pendulum.parameters[name] != simulation.parameters[name]


def test_a_wrench_pushes() -> None:
    simulation = Simulation(box(2.0), gravity=[0, 0, 0], floor="none")
    start = simulation.state("zero", base=[0, 0, 1, 0, 0, 0])
    simulation.set_wrench("box", force=[4.0, 0, 0])
    moved = simulation.rollout(start, steps=10)
    np.testing.assert_allclose(moved.body("box").velocity[-1], [10 * 0.01 * 4 / 2, 0, 0], atol=1e-9)
    linear, _ = simulation.momentum(moved.final)
    assert linear[0] == pytest.approx(0.4, abs=1e-6)


def test_minimal_states_go_there_and_back(pendulum: Simulation) -> None:
    state = pendulum.state()
    minimal = pendulum.minimal(np.stack([state, state]))
    assert minimal.shape == (2, 2 * len(pendulum.coordinate_names))
    np.testing.assert_allclose(pendulum.maximal(minimal)[1], state, atol=1e-12)


def test_files_and_texts(root: Path) -> None:
    path = root / "test/fixtures/arm.urdf"
    by_path, by_text = Simulation(path), Simulation(path.read_text())
    assert by_path.bodies == by_text.bodies
    quadruped = Simulation(root / "test/fixtures/quadruped.urdf", base="floating", timestep=0.005)
    assert quadruped.timestep == 0.005
    biped = Simulation(root / "test/fixtures/biped.xml", floor="plane")
    assert biped.rollout(steps=3).solved
    touching = Simulation(root / "test/fixtures/quadruped.urdf", collisions="shapes")
    assert touching.rollout(steps=3).solved and any("overlap" in note for note in touching.warnings)
    again = Simulation(biped.description)
    assert again.input_names == biped.input_names


def test_options_of_files(tmp_path: Path) -> None:
    path = tmp_path / "arm.xacro"
    box = '<collision><geometry><box size="${2 * half} 0.1 0.1"/></geometry></collision>'
    limit = '<limit lower="1" upper="-1" effort="1" velocity="1"/>'
    path.write_text(
        '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="half" default="1"/>'
        f'<xacro:property name="half" value="$(arg half)"/><link name="world"/><link name="arm">{box}</link>'
        f'<joint name="j" type="revolute"><parent link="world"/><child link="arm"/>{limit}</joint></robot>'
    )
    arm = Simulation(path, density=500, repair=True, xacro_args={"half": 0.5})
    assert arm.parameters["bodies.arm.mass"] == pytest.approx(5)
    assert any("they are exchanged" in note for note in arm.warnings)
    with pytest.raises(InputError, match="lower 1 is above upper -1"):
        Simulation(path, density=500)
    chain = (
        '<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" pos="1 0 0" mass="1"/>'
        '<body pos="2 0 0"><joint name="k" axis="0 1 0"/><geom size=".1" pos="1 0 0" mass="1"/></body></body></worldbody>'
        '<actuator><position joint="j" kp="100" dampratio="1"/></actuator></mujoco>'
    )
    coupled, alone = (Simulation(chain, dampratio=mass) for mass in (None, "alone"))
    servo = [simulation.description["joints"]["j"]["servo"]["damping"] for simulation in (coupled, alone)]
    assert servo[0] < 0.5 * servo[1]


def test_shapes_touch() -> None:
    stack = Simulation("stack")
    run = stack.rollout(steps=40)
    assert run.solved and len(run.touches()) == 40
    last, lowest = run.touches()[-1], stack.bodies[0]
    np.testing.assert_array_equal(last.force, stack.touches().force)
    carried = last.on(lowest).between(lowest, "world")
    assert 0 < len(carried) < len(last) and carried.point.shape == (len(carried), 3)
    masses = sum(stack.parameters[f"bodies.{body}.mass"] for body in stack.bodies)
    assert carried.normal_force.sum() == pytest.approx(9.81 * masses, rel=1e-3)
    assert carried.force[:, 2].sum() == pytest.approx(carried.normal_force.sum(), rel=1e-6)
    assert stack.rollout(steps=0).touches() == ()
    assert len(Simulation("pendulum").touches()) == 0


def test_limbs_touch() -> None:
    ant = Simulation("ant", self_collisions=True, restitution=0.2)
    assert ant.rollout(steps=2).solved and ant.parameters[f"contacts.{ant.contact_names[0]}.restitution"] == 0.2
    with pytest.raises(InputError, match="self_collisions: pendulum cannot"):
        Simulation("pendulum", self_collisions=True)


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (lambda s: Simulation("pendulm"), "did you mean"),
        (lambda s: Simulation("/nowhere/robot.urdf"), "no such file"),
        (lambda s: Simulation(3), "model: 3"),
        (lambda s: Simulation({"bodies": 3}), "bodies"),
        (lambda s: s.step(np.zeros(3)), r"state: has the shape \(3,\); give \(13\)"),
        (lambda s: s.step(np.full(13, np.nan)), "not-finite"),
        (lambda s: s.step(s.state(), [1, 2, 3, 4]), "input: has the shape"),
        (lambda s: s.state("standing"), "rest"),
        (lambda s: s.state(elbow=[1]), "elbow"),
        (lambda s: s.state(hinge={"angle": 1}), "not angle"),
        (lambda s: s.parameters["mass"], "there is no parameter"),
        (lambda s: s.parameters["gravity.zz"], r'no parameter "gravity.zz"; did you mean "gravity.z"\? list'),
        (lambda s: s.parameters.update({"timestep": -1}), "timestep"),
        (lambda s: s.parameters.update({"bodies.*.weight": 1}), "there is no parameter"),
        (lambda s: s.rollout(), "how many steps"),
        (lambda s: s.rollout(inputs=[[0, 0], [0, 0]]), "inputs: has the shape"),
        (lambda s: s.rollout(steps=-1), "steps|negative"),
        (lambda s: s.rollout(steps=1).body("torso"), "there is no body"),
        (lambda s: s.contacts()["foot"], "there is no contact"),
        (lambda s: s.rollout(steps=2).pullback(np.zeros((3, 13))), "gradients"),
        (lambda s: s.step_gradients(s.state(), kappa=-1), "kappa"),
        (lambda s: s.step_gradients(s.state(), coordinates="polar"), "maximal, minimal"),
    ],
)
def test_what_cannot_be_used_says_so(pendulum: Simulation, what: object, says: str) -> None:
    with pytest.raises((InputError, ValueError), match=says):
        what(pendulum)  # type: ignore[operator]
    # and the engine goes on
    assert pendulum.step(pendulum.state()).solved


def test_the_library_lists_itself() -> None:
    assert "atlas" in dojo_sim.models()
    assert "half-cheetah" in dojo_sim.environments()


def test_times_of_a_trajectory_are_those_of_its_run() -> None:
    simulation = dojo_sim.Simulation("pendulum")
    trajectory = simulation.rollout(steps=5)
    before = trajectory.times
    simulation.parameters["timestep"] = 2 * simulation.timestep
    assert np.array_equal(trajectory.times, before)


def test_coordinates_refuse_rows_of_another_length() -> None:
    simulation = dojo_sim.Simulation("hopper")
    states = np.tile(simulation.state("rest"), (13, 1))
    with pytest.raises(dojo_sim.InputError, match="states: has the shape"):
        simulation.minimal(states.T)
    with pytest.raises(dojo_sim.InputError, match="minimal: has the shape"):
        simulation.maximal(simulation.minimal(states).T)


def test_a_coarser_end_takes_fewer_iterations_and_a_tolerance_divides_the_step_of_an_impact() -> None:
    start = Simulation(box()).state("zero", base=[0, 0, 0.3, 0.2, 0.1, 0])
    exact, fast = (Simulation(box(), precision=name).rollout(start, steps=40) for name in ("exact", "fast"))
    assert exact.solved and fast.solved
    assert fast.iterations.sum() < exact.iterations.sum()
    # far from chaos yet: the first impact
    assert np.abs(fast.states[:15] - exact.states[:15]).max() < 1e-3


def test_an_error_tolerance_divides_steps_until_a_pendulum_swings_as_in_a_fine_simulation() -> None:
    fine = Simulation("pendulum", timestep=0.0005)
    coarse, divided = (Simulation("pendulum", timestep=0.05, error_tolerance=error) for error in (None, 1e-4))
    start = fine.maximal([1.0, 0.0])
    acceleration = fine.minimal(fine.step(start).next)[1] / 0.0005

    def reference(speed: float) -> float:
        """The angle after 2 s, from this speed at the very start: the fine simulation takes its mean over the step before."""
        return float(fine.minimal(fine.rollout(fine.maximal([1.0, speed - acceleration * 0.00025]), steps=4000).final)[0])

    # whole steps start from a mean over the coarse step before, half of which has gone by; with a tolerance it is the speed of the instant
    references = [reference(acceleration * 0.025), reference(0.0)]
    ends = [each.minimal(each.rollout(start, steps=40).final)[0] for each in (coarse, divided)]
    errors = [abs(end - angle) for end, angle in zip(ends, references)]
    assert errors[0] > 5e-3
    assert errors[1] < errors[0] / 5


def test_velocities_of_the_instant_lead_along_the_parabola() -> None:
    simulation = Simulation("sphere", timestep=0.02)
    start = {"position": [0, 0, 5, 0, 0, 0], "velocity": [1, 0, 3, 0, 0, 0]}
    steps, seconds = 25, 0.5
    there = np.array([seconds, 0, 5 + 3 * seconds - 9.81 / 2 * seconds**2])
    ends = [
        simulation.body(simulation.rollout(state, steps=steps).states[-1], "sphere").position
        for state in (simulation.state_at(base=start), simulation.state(base=start))
    ]
    assert np.abs(ends[0] - there).max() < 1e-9
    # means over the time step before the start: g h / 2 too fast
    assert abs(ends[1][2] - there[2] + 9.81 * 0.01 * seconds) < 1e-9
    with pytest.raises(InputError, match="wrong-size|has 1"):
        simulation.state_at(base={"position": [0]})


def test_results_say_what_they_are_and_are_compared_by_identity(pendulum: Simulation) -> None:
    first, second = pendulum.rollout(steps=3), pendulum.rollout(steps=3)
    assert repr(first) == "<Trajectory of pendulum: 3 steps of 0.01 s, all solved>"
    assert first == first and first != second and len({first, second}) == 2
    many = pendulum.rollouts(np.stack([pendulum.state()] * 2), steps=3)
    assert repr(many) == "<2 rollouts, all solved, states (2, 4, 13) in maximal coordinates>"
    assert pendulum.step(first.final) != pendulum.step(first.final)


def test_what_importers_advise_can_be_given_here(tmp_path: Path) -> None:
    arm = tmp_path / "my --arm.urdf"
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    arm.write_text(
        f'<robot name="arm"><link name="a">{inertial}</link><link name="b">{inertial}</link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )
    floats = Simulation(arm)
    assert any('base="fixed" holds it' in warning and "my --arm.urdf:1" in warning for warning in floats.warnings)
    assert floats.state_size == 26 and Simulation(arm, base="fixed").state_size == 13
    ball = '<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    lone = Simulation(ball)
    assert any(warning.endswith('the file has no plane; floor="plane" adds one at z = 0') for warning in lone.warnings)
    assert not lone.contact_names and Simulation(ball, floor="plane").contact_names
