# SPDX-License-Identifier: Apache-2.0
"""Reference pictures for plugins/envs/mujoco: of Gymnasium's v5 MuJoCo tasks and of tasks of dm_control's suite.

Made with gymnasium 1.4.0, dm_control 1.0.50 and mujoco 4.0.0, drawn by EGL of Mesa 22.3.6 (llvmpipe). Command, from the root of the repository:
    MUJOCO_GL=egl python tests/golden/generate/mujoco_pictures.py plugins/envs/mujoco/golden/pictures.txt

Gymnasium's free camera looks at the middle of the geoms at its first picture, so that one is of the model's initial state.
"""

import sys

import gymnasium
import mujoco
import numpy
from dm_control import suite

from mujoco_dm_control import forget_missing_arrays

WIDTH, HEIGHT = 32, 24
STEPS = 12
TASKS = ("Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Humanoid-v5", "HumanoidStandup-v5", "InvertedDoublePendulum-v5", "InvertedPendulum-v5",
         "Pusher-v5", "Reacher-v5", "Swimmer-v5", "Walker2d-v5")
SUITE = (("acrobot", "swingup"), ("ball_in_cup", "catch"), ("cartpole", "swingup"), ("cheetah", "run"), ("hopper", "hop"), ("humanoid", "walk"),
         ("pendulum", "swingup"), ("walker", "walk"))


def text(values):
    return " ".join(repr(float(value)) for value in values)


def say(file, name, qpos, qvel, picture):
    assert picture.shape == (HEIGHT, WIDTH, 3), picture.shape
    print("picture", name, file=file)
    print("state", text(qpos), text(qvel), file=file)
    print("pixels", numpy.ascontiguousarray(picture).tobytes().hex(), file=file)


def of_gymnasium(identity, file):
    model = gymnasium.make(identity).unwrapped.model
    has_track = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, "track") >= 0
    options = {"camera_name": "track"} if has_track else {}
    env = gymnasium.make(identity, render_mode="rgb_array", width=WIDTH, height=HEIGHT, **options).unwrapped
    env.reset(seed=1)
    env.action_space.seed(1)
    env.set_state(model.qpos0, numpy.zeros(model.nv))
    env.render()
    for _ in range(STEPS):
        env.step(env.action_space.sample())
    qpos, qvel = env.data.qpos.copy(), env.data.qvel.copy()
    env.set_state(qpos, qvel)
    say(file, f"mujoco/{identity}", qpos, qvel, env.render())
    env.close()


def of_suite(domain, task, file):
    env = suite.load(domain, task, task_kwargs={"random": 1})
    env.reset()
    random = numpy.random.RandomState(1)
    spec = env.action_spec()
    for _ in range(STEPS):
        env.step(random.uniform(spec.minimum, spec.maximum))
    picture = env.physics.render(height=HEIGHT, width=WIDTH, camera_id=0)
    say(file, f"dm_control/{domain}-{task}", env.physics.data.qpos, env.physics.data.qvel, picture)


def main():
    forget_missing_arrays()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        print(f"# {WIDTH} by {HEIGHT} pixels of gymnasium {gymnasium.__version__}, dm_control 1.0.50, mujoco {mujoco.__version__}", file=file)
        print("# made by: MUJOCO_GL=egl python tests/golden/generate/mujoco_pictures.py plugins/envs/mujoco/golden/pictures.txt", file=file)
        print("# state: qpos, qvel; pixels: red, green and blue of each, from the top row down, in hexadecimal digits", file=file)
        for identity in TASKS:
            of_gymnasium(identity, file)
        for domain, task in SUITE:
            of_suite(domain, task, file)


if __name__ == "__main__":
    main()
