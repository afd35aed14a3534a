# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for plugins/envs/mujoco: 250 steps of each task of dm_control's suite that is native there.

Made with dm_control 1.0.50, mujoco 4.0.0 and numpy 2.4.6 on x86-64 with glibc 2.36. Command, from the root of the repository:
    python tests/golden/generate/mujoco_dm_control.py plugins/envs/mujoco/golden

Every step has the reward and a weighted sum of the observation; every 50th has the whole observation. Actions are as in
mujoco_gym.py. dm_control 1.0.50 lists arrays that MuJoCo 4 no longer has; they are taken from its list first.
"""

import sys
from pathlib import Path

from importlib.metadata import version

import mujoco
import numpy
from dm_control import suite
from dm_control.mujoco.wrapper.mjbindings import sizes

from mujoco_gym import action, text, weighted_sum

STEPS = 250
SHOWN = 50

TASKS = """acrobot-swingup acrobot-swingup_sparse ball_in_cup-catch cartpole-balance cartpole-balance_sparse cartpole-swingup
cartpole-swingup_sparse cartpole-two_poles cartpole-three_poles cheetah-run finger-spin finger-turn_easy finger-turn_hard
fish-upright fish-swim hopper-stand hopper-hop humanoid-stand humanoid-walk humanoid-run humanoid-run_pure_state
humanoid_CMU-stand humanoid_CMU-walk humanoid_CMU-run pendulum-swingup point_mass-easy point_mass-hard reacher-easy reacher-hard
swimmer-swimmer6 swimmer-swimmer15 walker-stand walker-walk walker-run""".split()

# What a task draws for an episode and puts into the model.
TARGETS = {
    "reacher": lambda model: model.geom_pos["target", :2],
    "finger-turn": lambda model: model.site_pos["target", ["x", "z"]],
    "fish-swim": lambda model: model.geom_pos["target"],
    "point_mass-hard": lambda model: model.wrap_prm[:4],
    "swimmer": lambda model: model.geom_pos["target", :2],
}


def forget_missing_arrays():
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    for kind, struct in (("mjmodel", model), ("mjdata", mujoco.MjData(model))):
        for name in list(sizes.array_sizes[kind]):
            if not hasattr(struct, name):
                del sizes.array_sizes[kind][name]


def flat(observation):
    return numpy.concatenate([numpy.atleast_1d(part).ravel() for part in observation.values()])


def state_of(physics):
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    state = numpy.zeros(mujoco.mj_stateSize(physics.model.ptr, kind))
    mujoco.mj_getState(physics.model.ptr, physics.data.ptr, state, kind)
    return state


def main():
    forget_missing_arrays()
    with (Path(sys.argv[1]) / "dm_control.txt").open("w", encoding="utf-8") as file:
        say = lambda *words: print(*words, file=file)
        say(f"# {STEPS} steps of tasks of dm_control {version('dm_control')}, mujoco {mujoco.__version__}, numpy {numpy.__version__}")
        say("# made by: python tests/golden/generate/mujoco_dm_control.py plugins/envs/mujoco/golden")
        say("# task NAME, limit N, start: the state of MuJoCo, target: of the lane, seen: observation, step: reward, weighted sum")
        for name in TASKS:
            env = suite.load(*name.split("-"), task_kwargs={"random": 1})
            step = env.reset()
            physics = env.physics
            say("task", name)
            say("limit", int(numpy.ceil(env._step_limit)))
            for task, target in TARGETS.items():
                if name.startswith(task):
                    say("target", text(target(physics.named.model)))
            say("start", text(state_of(physics)))
            say("seen", text(flat(step.observation)))
            spec = env.action_spec()
            for number in range(STEPS):
                step = env.step(action(number, spec.minimum, spec.maximum).astype(float))
                seen = flat(step.observation)
                say("step", repr(float(step.reward)), repr(float(weighted_sum(seen))))
                if number % SHOWN == SHOWN - 1:
                    say("seen", text(seen))


if __name__ == "__main__":
    main()
