# SPDX-License-Identifier: Apache-2.0
"""Environments for the tests of gym/env: one for every space, and some that misbehave."""

import ctypes
import os
import signal
import sys
import threading
import time

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle


class Base(gymnasium.Env):
    """Counts its steps; an episode has five."""

    observation_space = spaces.Box(-1, 100, (2,), np.float32)
    action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.observation(), self.info()

    def step(self, action):
        self.steps += 1
        return self.observation(), float(self.np_random.random()), self.steps == 5, False, self.info()

    def observation(self):
        return np.array([self.steps, 2 * self.steps], dtype=np.float32)

    def info(self):
        return {}


class Answers(gymnasium.Env):
    """A prompt of two digits, which three answers are to repeat; the action has a row for each."""

    observation_space = spaces.MultiDiscrete([4, 4])
    action_space = spaces.MultiDiscrete([[4, 4]] * 3)

    def __init__(self, rewards=3, odd=False):
        self.rewards = np.zeros(rewards)
        if odd:
            self.action_space = spaces.MultiDiscrete([[4, 4], [4, 4], [4, 5]])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.prompt = self.np_random.integers(4, size=2)
        return self.prompt, {"rewards": self.rewards}

    def step(self, action):
        rewards = (action == self.prompt).mean(1)
        return self.prompt, rewards.sum(), True, False, {"rewards": rewards}


class Reach(Base):
    """A place on a line that is to be reached, with the functions of goal environments."""

    place = spaces.Box(-10, 10, (1,), np.float32)
    observation_space = spaces.Dict(observation=place, achieved_goal=place, desired_goal=place)

    def reset(self, *, seed=None, options=None):
        gymnasium.Env.reset(self, seed=seed)
        self.steps, self.at, self.to = 0, np.zeros(1, np.float32), self.np_random.integers(-3, 4, 1).astype(np.float32)
        return self.observation(), {}

    def step(self, action):
        self.steps, self.at = self.steps + 1, self.at + np.float32(action - 1)
        over = self.compute_terminated(self.at, self.to, {})
        return self.observation(), float(self.compute_reward(self.at, self.to, {})), bool(over), self.steps == 5, {}

    def observation(self):
        return {"observation": self.at, "achieved_goal": self.at, "desired_goal": self.to}

    def compute_reward(self, achieved, desired, info):
        return -np.abs(achieved - desired)[..., 0]

    def compute_terminated(self, achieved, desired, info):
        return (achieved == desired)[..., 0]


class Spaces(Base):
    """Every kind of space, nested. The observation of a step shows the action."""

    inner = spaces.Dict(speed=spaces.Box(0, 1, (), np.float64), gear=spaces.Discrete(5, start=-2))
    observation_space = spaces.Dict(
        z=spaces.Box(0, 255, (2, 2), np.uint8),
        a=spaces.Box(-(2**15), 2**15 - 1, (3,), np.int16),
        inner=inner,
        pair=spaces.Tuple([spaces.MultiBinary(3), spaces.MultiDiscrete([[2, 3], [4, 5]])]),
        word=spaces.Text(4, charset="abc"),
        one=spaces.OneOf([spaces.Discrete(3), spaces.Box(-1, 1, (2,), np.float32)]),
    )
    action_space = spaces.Dict(
        push=spaces.Box(-1, 2, (2,), np.float64),
        dial=spaces.Tuple([spaces.Discrete(4, start=10), spaces.MultiBinary(2)]),
        knobs=spaces.MultiDiscrete([2, 7]),
        whole=spaces.Box(-3, 3, (2,), np.int8),
    )

    def step(self, action):
        assert self.action_space.contains(action), action
        return super().step(action)

    def observation(self):
        k = self.steps
        return {
            "z": np.full((2, 2), 10 * k, np.uint8),
            "a": np.array([-k, k, 300 * k], np.int16),
            "inner": {"speed": k / 10, "gear": k % 5 - 2},
            "pair": (np.array([1, 0, k % 2], np.int8), np.array([[k % 2, 2], [3, 4]])),
            "word": "abca"[: k % 5],
            "one": (0, 2) if k % 2 else (1, np.array([0.5, -0.5], np.float32)),
        }


class Mission(Base):
    """Has parts that no column can hold, as MiniGrid has one."""

    observation_space = spaces.Dict(
        image=Base.observation_space,
        mission=spaces.Sequence(spaces.Discrete(2)),
        inner=spaces.Dict(net=spaces.Graph(spaces.Discrete(2), None)),
    )

    def observation(self):
        return {"image": super().observation(), "mission": (1,) * self.steps, "inner": {"net": None}}


class Masked(Base):
    """Only action steps % 3 is allowed; another one is an error."""

    def info(self):
        return {"action_mask": np.eye(3, dtype=np.int8)[self.steps % 3], "score": self.steps * 1.5, "wet": self.steps > 2}

    def step(self, action):
        assert action == self.steps % 3, "the action %s is not allowed" % action
        return super().step(action)


class MaskInObservation(Masked):
    observation_space = spaces.Dict(
        observation=Base.observation_space, action_mask=spaces.Box(0, 1, (3,), np.int8)
    )

    def observation(self):
        return {"observation": super().observation(), "action_mask": np.eye(3, dtype=np.int8)[self.steps % 3]}

    def info(self):
        return {}


class Faulty(Base):
    """Does `what` at its `at`-th step, in the environment that was seeded with `lane` or in all."""

    def __init__(self, what, at=3, lane=None, once=None):
        self.what, self.at, self.lane, self.once, self.seeded = what, at, lane, once, None
        if what == "constructor":
            raise ValueError("no wheels")
        if what == "constructor-shapeless":
            self.do_shapeless(None)
        if what == "space":
            self.observation_space = spaces.Dict(a=spaces.Sequence(spaces.Discrete(2)))

    def reset(self, *, seed=None, options=None):
        self.seeded = self.seeded if seed is None else seed
        out = super().reset(seed=seed)
        if self.what == "reset":
            raise RuntimeError("no start")
        return out

    def step(self, action):
        result = super().step(action)
        fails = self.steps == self.at and self.lane in (None, self.seeded)
        if fails and self.once is not None:
            fails = not os.path.exists(self.once)
            open(self.once, "w").close()
        return getattr(self, "do_" + self.what.replace("-", "_"))(result) if fails else result

    def do_raise(self, result):
        return self.deeper()

    def deeper(self):
        raise ValueError("the wheels came off")

    def do_exit(self, result):
        sys.exit(3)

    def do_hard_exit(self, result):
        print("out of coffee", flush=True)
        os._exit(7)

    def do_crash(self, result):
        ctypes.string_at(8)

    def do_hang(self, result):
        while True:
            time.sleep(0.01)

    def do_reset_again(self, result):
        self.what = "reset"
        return result

    def do_interrupt(self, result):
        raise KeyboardInterrupt

    def do_storm(self, result):
        for _ in range(20):
            sys.stdout.write("x" * 200000 + "\n")
        return result

    def do_low_descriptors(self, result):
        for number in range(3, 64):
            try:
                os.write(number, b"\xff" * 64)
            except OSError:
                pass
        return result

    def do_never_pickles(self, result):
        return result

    def __getstate__(self):
        while self.what == "never-pickles":
            time.sleep(0.01)
        return self.__dict__

    def do_stray(self, result):
        for number in os.listdir("/proc/self/fd"):
            path = "/proc/self/fd/" + number
            if os.path.lexists(path) and os.readlink(path).startswith("socket:"):
                os.write(int(number), b"not a message " * 8)
        return result

    def do_nan(self, result):
        return (result[0], float("nan")) + result[2:]

    def do_shape(self, result):
        return (np.zeros(3, np.float32),) + result[1:]

    def do_shapeless(self, result):
        return np.linalg.inv(np.zeros(3))  # an exception of numpy's own Python code

    def do_dtype(self, result):
        return (np.zeros(2, np.complex64),) + result[1:]

    def do_no_reward(self, result):
        return result[:1] + (None,) + result[2:]

    def do_short(self, result):
        return result[:4]


class Fragile(Base):
    """Kills its process at the places that a file lists, one after the other: "first", the first constructor of a process,
    "more", another one, or "step"."""

    made = 0

    def __init__(self, places):
        self.places = places
        Fragile.made += 1
        self.die_at("first" if Fragile.made == 1 else "more")

    def step(self, action):
        self.die_at("step")
        return super().step(action)

    def die_at(self, place):
        with open(self.places) as file:
            places = file.read().split()
        if places[:1] == [place]:
            with open(self.places, "w") as file:
                file.write(" ".join(places[1:]))
            os.kill(os.getpid(), signal.SIGKILL)


class Chatty(Base):
    def step(self, action):
        print("the mill turns\n  and turns")
        return super().step(action)


class Drawn(Base):
    """Shows its steps as brightness."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(self, render_mode=None, frame="picture"):
        self.render_mode, self.frame = render_mode, frame

    def render(self):
        if self.frame == "error":
            raise RuntimeError("the paint is dry")
        if self.frame == "floats":
            return np.zeros((4, 6, 3))
        return np.full((4, 6, 3), 40 * self.steps, np.uint8) if self.render_mode == "rgb_array" else None


class DrawnReach(Drawn, Reach):
    """Has goals, whose functions take one row a call."""

    def compute_reward(self, achieved, desired, info):
        return -abs(float(achieved[0]) - float(desired[0])) if achieved.shape == (1,) else 0.0

    def compute_terminated(self, achieved, desired, info):
        return bool(achieved[0] == desired[0])


class Images(Base):
    observation_space = spaces.Box(0, 255, (4, 3), np.uint8)

    def observation(self):
        return np.arange(12, dtype=np.uint8).reshape(3, 4).T + np.uint8(self.steps)


class Loose(Base):
    """Returns other types than its spaces say, which numpy and Python convert."""

    def step(self, action):
        observation, reward, over, cut, info = super().step(action)
        convert = [np.float32, np.float64, list, np.float16][self.steps % 4]
        return convert(observation), np.array(reward), np.int8(over), np.array(cut), info


class Remade(Base, EzPickle):
    """By itself it pickles only the arguments of its constructor."""

    def __init__(self):
        EzPickle.__init__(self)


class Unpicklable(Base):
    def __init__(self):
        self.lock = threading.Lock()


class Forgets(Base):
    def reset(self):
        return super().reset()


class Slow(Base):
    """In the environment that was seeded with `lane`, or in all."""

    def __init__(self, seconds=0.001, lane=None):
        self.seconds, self.lane, self.seeded = seconds, lane, None

    def reset(self, *, seed=None, options=None):
        self.seeded = self.seeded if seed is None else seed
        return super().reset(seed=seed)

    def step(self, action):
        if self.lane in (None, self.seeded):
            time.sleep(self.seconds)
        return super().step(action)


class Forks(Slow):
    """Leaves a process behind."""

    def __init__(self):
        super().__init__()
        if os.fork() == 0:
            while True:
                signal.pause()


class Spec:
    """An array spec of dm_env's interface."""

    def __init__(self, shape, dtype, **more):
        self.shape, self.dtype = shape, dtype
        self.__dict__.update(more)


class TimeStep:
    def __init__(self, observation, reward=None, discount=None, over=False):
        self.observation, self.reward, self.discount, self.over = observation, reward, discount, over

    def last(self):
        return self.over


class DmSteps:
    """dm_env's interface: an episode ends after four steps, every second one with discount 0."""

    def __init__(self, seed=0):
        self.seed, self.episodes = seed, 0

    def observation_spec(self):
        return {"count": Spec((), np.int64), "place": Spec((2,), np.float64, minimum=-1.0, maximum=[1.0, 9.0])}

    def action_spec(self):
        return Spec((), np.int32, num_values=3)

    def reset(self):
        self.count, self.episodes = 0, self.episodes + 1
        return TimeStep(self.observation())

    def step(self, action):
        self.count += 1
        over = self.count == 4
        return TimeStep(self.observation(), self.seed % 1000, 0.0 if over and self.episodes % 2 else 1.0, over)

    def observation(self):
        return {"count": np.array(self.count), "place": np.array([0.5, self.count])}

    def close(self):
        pass


class ManyLanes:
    """A vector environment with EnvPool's interface: a lane begins an episode when it is told to, by its number. Episodes of even
    lanes have three steps, those of the others four; actions are rewards."""

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}
    single_observation_space = spaces.Box(0, 99, (2,), np.float32)
    single_action_space = spaces.Discrete(2)

    def __init__(self, num_envs):
        self.all_env_ids = np.arange(num_envs, dtype=np.int32)
        self.limits = 3 + self.all_env_ids % 2
        self.steps, self.episodes = np.zeros((2, num_envs), int)

    def reset(self, env_id=None, *, seed=None, options=None):
        lanes = self.all_env_ids if env_id is None else env_id
        self.steps[lanes] = 0
        self.episodes[lanes] += 1
        return self.answer(lanes)

    def step(self, action):
        assert (self.steps < self.limits).all(), "a step behind the end of an episode"
        self.steps += 1
        observation, info = self.answer(self.all_env_ids)
        return observation, np.asarray(action, np.float32), self.steps == self.limits, np.zeros(len(action), bool), info

    def answer(self, lanes):
        info = {"env_id": lanes, "elapsed_step": self.steps[lanes], "players": {"env_id": lanes}}
        return np.stack([self.steps[lanes], self.episodes[lanes]], 1).astype(np.float32), info

    def close(self):
        pass
