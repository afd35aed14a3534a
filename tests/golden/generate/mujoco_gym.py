# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for plugins/envs/mujoco: 1,000 steps of each of Gymnasium's v5 MuJoCo tasks, and 300 with other options.

Made with gymnasium 1.4.0, mujoco 4.0.0 and numpy 2.4.6 on x86-64 with glibc 2.36. Command, from the root of the repository:
    python tests/golden/generate/mujoco_gym.py plugins/envs/mujoco/golden [TASK...]

The episode goes on where Gymnasium's has terminated, so that all steps are compared. Actions are numbers that both sides
can compute. Every step has the reward, whether the task terminates, and a weighted sum of the observation; every 100th has
the whole observation and the infos.
"""

import sys
from pathlib import Path

import gymnasium
import mujoco
import numpy

STEPS = {"standard": 1000, "options": 300}
SHOWN = 100  # steps from one whole observation to the next

# Of each task the variants: a name, and what the constructor gets.
TASKS = {
    "Ant-v5": {
        "standard": {},
        "options": {"frame_skip": 3, "main_body": "front_left_leg", "healthy_z_range": (0.3, 0.8), "contact_force_range": (-0.5, 0.25),
                    "exclude_current_positions_from_observation": False, "include_cfrc_ext_in_observation": False},
    },
    "HalfCheetah-v5": {
        "standard": {},
        "options": {"frame_skip": 3, "forward_reward_weight": 1.5, "ctrl_cost_weight": 0.25,
                    "exclude_current_positions_from_observation": False},
    },
    "Hopper-v5": {
        "standard": {},
        "options": {"healthy_state_range": (-8, 8), "healthy_z_range": (0.2, 1.2), "healthy_angle_range": (-1, 1),
                    "terminate_when_unhealthy": False, "healthy_reward": 2},
    },
    "Walker2d-v5": {
        "standard": {},
        "options": {"healthy_z_range": (0.1, 1.2), "healthy_angle_range": (-2, 2), "frame_skip": 2},
    },
    "Humanoid-v5": {
        "standard": {},
        "options": {"contact_cost_weight": 1e-4, "contact_cost_range": (0.5, 4), "include_cinert_in_observation": False,
                    "include_cvel_in_observation": False, "include_qfrc_actuator_in_observation": False},
    },
    "HumanoidStandup-v5": {
        "standard": {},
        "options": {"impact_cost_weight": 1e-4, "impact_cost_range": (0.5, 4), "include_cfrc_ext_in_observation": False},
    },
    "InvertedPendulum-v5": {"standard": {}},
    "InvertedDoublePendulum-v5": {"standard": {}, "options": {"healthy_reward": 3, "frame_skip": 1}},
    "Reacher-v5": {"standard": {}, "options": {"reward_dist_weight": 2.5, "reward_control_weight": 0.3}},
    "Pusher-v5": {"standard": {}, "options": {"reward_near_weight": 0.7, "reward_dist_weight": 2, "reward_control_weight": 0.3}},
    "Swimmer-v5": {"standard": {}, "options": {"ctrl_cost_weight": 0.3, "exclude_current_positions_from_observation": False}},
}


def action(step, low, high):
    """float32 numbers within the bounds, a little beyond them now and then."""
    index = numpy.arange(low.size, dtype=numpy.uint64)
    mixed = (numpy.uint64(step) * numpy.uint64(7919) + index * numpy.uint64(104729) + numpy.uint64(12345)) * numpy.uint64(2654435761)
    share = ((mixed >> numpy.uint64(8)) & numpy.uint64(0xFFFFFF)).astype(numpy.float64) / 2.0**24
    return (low + (high - low) * (1.25 * share - 0.125)).astype(numpy.float32)


def weighted_sum(values):
    total = 0.0
    for i, value in enumerate(values):
        total += (1 + i % 7) * value
    return total


def text(values):
    return " ".join(repr(float(value)) for value in values)


def record(identity, out):
    with (out / f"{identity}.txt").open("w", encoding="utf-8") as file:
        say = lambda *words: print(*words, file=file)
        say(f"# steps of {identity} of gymnasium {gymnasium.__version__}, mujoco {mujoco.__version__}, numpy {numpy.__version__}")
        say("# made by: python tests/golden/generate/mujoco_gym.py plugins/envs/mujoco/golden")
        say("# variant NAME, limit N, start: qpos, qvel, step: reward, terminated, weighted sum, seen: observation, told: infos")
        for name, options in TASKS[identity].items():
            say("variant", name)
            say("limit", gymnasium.spec(identity).max_episode_steps)
            env = gymnasium.make(identity, **options).unwrapped
            observation, info = env.reset(seed=1)
            say("start", text(env.data.qpos), text(env.data.qvel))
            say("seen", text(observation))
            for step in range(STEPS[name]):
                taken = action(step, env.action_space.low.astype(float), env.action_space.high.astype(float))
                observation, reward, terminated, _, info = env.step(taken)
                say("step", repr(float(reward)), int(terminated), repr(float(weighted_sum(observation))))
                if step % SHOWN == SHOWN - 1:
                    say("seen", text(observation))
                    for key, value in info.items():
                        say("told", key, text(numpy.atleast_1d(value)))


def main():
    out = Path(sys.argv[1])
    for identity in sys.argv[2:] or TASKS:
        record(identity, out)


if __name__ == "__main__":
    main()
