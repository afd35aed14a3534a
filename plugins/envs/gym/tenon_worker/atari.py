# SPDX-License-Identifier: Apache-2.0
"""Games of the Atari 2600 by ale-py."""

import ale_py
import gymnasium
import numpy as np
from ale_py import roms
from gymnasium import spaces

from .sentences import Refusal, did_you_mean

FRAMES = 4  # that a step has in the standard preprocessing


def make(name, lanes, kwargs):
    """A game by the name of its ROM: 'pong'. Vector environments have the standard preprocessing."""
    if name not in roms.get_all_rom_ids():
        raise Refusal("ale-py has no game '%s'%s" % (name, did_you_mean(name, roms.get_all_rom_ids(), 0.6)))
    return Game(name, **kwargs) if lanes is None else vector(name, lanes, **kwargs)


class Game(gymnasium.Env):
    """As ale_py.AtariEnv, but it writes pictures where it is told to and can be pickled as it is. Therefore it draws itself
    whether a frame takes the action before: ALE's state lacks that action. Loading a ROM takes as long as a thousand frames,
    so it is loaded when an episode begins, with the seed; the first one of a process is loaded to be described, too."""

    described = {}  # by name: the actions of a game, its minimal ones, the size of its screen, and of its memory

    def __init__(self, name, obs, frame_skip, repeat_action_probability, full_action_space, mode, difficulty, max_frames):
        self.name, self.obs, self.frame_skip, self.mode, self.difficulty = name, obs, frame_skip, mode, difficulty
        self.repeats, self.full, self.max_frames = repeat_action_probability, full_action_space, max_frames
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        self.ale = ale_py.ALEInterface()
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.setInt("max_num_frames_per_episode", max_frames)
        self.is_loaded = False
        if name not in self.described:
            self.load(None)
            ale = self.ale
            sizes = (ale.getScreenDims(), ale.getRAMSize())
            self.described[name] = (list(ale.getLegalActionSet()), list(ale.getMinimalActionSet()), *sizes)
        legal, minimal, size, memory = self.described[name]
        self.latest = ale_py.Action.NOOP
        self.actions = legal if full_action_space else minimal
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": 60 / frame_skip}
        self.action_space = spaces.Discrete(len(self.actions))
        shape = {"grey": (1,) + size, "rgb": size + (3,), "ram": (memory,)}[obs]
        self.observation_space = spaces.Box(0, 255, shape, np.uint8)
        self.observe_into(np.zeros(shape, np.uint8))
        self.seen = self.row.copy

    def load(self, seed):
        """Loads the ROM with a seed, from which Gymnasium makes the same two."""
        seeds = np.random.SeedSequence(seed).generate_state(2)
        self.random = np.random.default_rng(seeds[0])
        self.ale.setInt("random_seed", int(seeds.view(np.int32)[1]))
        self.ale.loadROM(roms.get_rom_path(self.name))
        self.choose("mode", self.mode, self.ale.getAvailableModes, self.ale.setMode)
        self.choose("difficulty", self.difficulty, self.ale.getAvailableDifficulties, self.ale.setDifficulty)
        self.is_loaded = True

    def choose(self, what, number, known, choose):
        if number == -1:
            return
        if number not in known():
            raise Refusal("'%s' has no %s %d; there are %s" % (self.name, what, number, ", ".join(map(str, known()))), what)
        choose(number)

    def observe_into(self, row):
        """From now on observations are in this array, which is what reset and step return. Without it each is new."""
        self.row, self.seen = row, lambda: row
        picture = row[0] if self.obs == "grey" else row
        ale = self.ale
        self.observe = {
            "grey": lambda: ale.getScreenGrayscale(picture),
            "rgb": lambda: ale.getScreenRGB(picture),
            "ram": lambda: ale.getRAM(picture),
        }[self.obs]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None or not self.is_loaded:
            self.load(seed)
        self.ale.reset_game()
        self.latest = ale_py.Action.NOOP
        self.observe()
        return self.seen(), {"lives": self.ale.lives()}

    def step(self, action):
        ale, chosen, repeats, reward = self.ale, self.actions[action], self.repeats, 0.0
        for _ in range(self.frame_skip):
            if repeats == 0 or self.random.random() >= repeats:
                self.latest = chosen
            reward += ale.act(self.latest)
            if ale.game_over():
                break
        self.observe()
        terminated = ale.game_over(with_truncation=False)
        return self.seen(), reward, terminated, ale.game_truncated(), {"lives": ale.lives()}

    def render(self):
        return self.ale.getScreenRGB()

    def __getstate__(self):
        made = (self.name, self.obs, self.frame_skip, self.repeats, self.full, self.mode, self.difficulty, self.max_frames)
        return made, self.random, self.latest.value, self.ale.cloneState(include_rng=True)

    def __setstate__(self, state):
        made, random, latest, game = state
        self.__init__(*made)
        if not self.is_loaded:
            self.load(None)
        self.random, self.latest = random, ale_py.Action(latest)
        self.ale.restoreState(game)


def vector(name, lanes, repeat_action_probability, full_action_space, max_frames, noops, fire_reset, threads, **ignored):
    from ale_py.vector_env import AtariVectorEnv

    return AtariVectorEnv(
        name,
        lanes,
        num_threads=min(threads, lanes),
        max_num_frames_per_episode=max_frames // FRAMES if max_frames > 0 else 2**31 - 1,
        repeat_action_probability=repeat_action_probability,
        full_action_space=full_action_space,
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
        frameskip=FRAMES,
        stack_num=1,
        noop_max=noops,
        reward_clipping=False,
        use_fire_reset=fire_reset,
    )
