# SPDX-License-Identifier: Apache-2.0
"""Environments from an id of Gymnasium, a module:Class of the user, or a name that an adapter knows."""

import importlib
import inspect
import sys

from .classes import check_seed, make_class, near_module
from .sentences import Refusal, did_you_mean, how_to_install, missing, sentence_of
from .zoo import has_agents, is_pettingzoo, with_agents

# Worlds without Gymnasium's interface, by the word before the colon of the id. The module of this package with the given
# name has make(name, lanes, kwargs), which gets what follows the colon, and None or the lanes of a vector environment.
ADAPTERS = {"atari": "atari", "dm_control": "dm_env", "open_spiel": "open_spiel", "pettingzoo": "zoo"}

# Packages whose names are not those of their modules.
PACKAGES = {"ale_py": "ale-py", "atari": "ale-py", "cv2": "opencv-python-headless", "pyspiel": "open_spiel"}


def make_env(config, lanes=None):
    """One environment; with a number of lanes a vector environment."""
    name, kwargs = config["name"], config["kwargs"]
    draws = {"render_mode": "rgb_array"} if config.get("draws") else {}
    try:
        import gymnasium
    except ImportError as error:
        if error.name != "gymnasium":
            raise
        raise missing("gymnasium") from error
    try:
        env = create(gymnasium, config["id"], lanes, config["max_episode_steps"], kwargs, draws)
        if lanes is None:
            check_seed(env)
        return with_agents(env, config) if has_agents(env) else env
    except gymnasium.error.UnregisteredEnv as error:
        raise unknown_id(gymnasium, name) from error
    except gymnasium.error.Error as error:
        raise Refusal("gymnasium cannot make '%s': %s" % (name, " ".join(str(error).split()))) from error
    except ModuleNotFoundError as error:
        # Gymnasium raises another one without a name for the module of "module:Id-v0".
        module = error.name or getattr(error.__cause__, "name", None) or config["id"].partition(":")[0]
        raise Refusal(no_module(config, module)) from error
    except Refusal:
        raise
    except TypeError as error:
        what = "the constructor of '%s' refuses its kwargs %s: %s" % (name, kwargs, sentence_of(error))
        raise Refusal(what, option_of(config)) from error
    except Exception as error:
        raise Refusal("the constructor of '%s' failed: %s" % (name, sentence_of(error)), option_of(config)) from error


def option_of(config):
    """What a constructor was given: kwargs, if the user has a say in them and has said something."""
    return "kwargs" if config["kwargs"] and config["id_option"] == "id" else "id"


def no_module(config, module):
    adapter = config["id"].partition(":")[0]
    if adapter in ADAPTERS and adapter != "pettingzoo":  # the package brings what it imports
        return "'%s' needs the module %s, which %s does not find: %s" % (
            config["name"],
            module,
            sys.executable,
            how_to_install(PACKAGES.get(adapter, adapter)),
        )
    top = module.partition(".")[0]
    near = near_module(config, top)
    folder = config["folder"].rstrip("/") or "/"
    if near:
        return "'%s' needs the module %s, which is not in %s%s" % (config["name"], module, folder, near)
    return "'%s' needs the module %s, which %s does not find%s: %s%s" % (
        config["name"],
        module,
        sys.executable,
        " and which is not in " + folder if config["folder"] else "",
        how_to_install(PACKAGES.get(top, top)),
        ', or name its folder: folder = "..."' if config["folder"] else "",
    )


def create(gymnasium, id, lanes, limit, kwargs, draws):
    module, colon, name = id.partition(":")
    if colon and module in ADAPTERS:
        adapter = importlib.import_module("." + ADAPTERS[module], __package__)
        env = adapter.make(name, lanes, dict(draws, **kwargs) if module == "pettingzoo" else kwargs)
    elif colon and not any(c in name for c in "-/"):  # gymnasium's own "module:Id-v0" has a version
        env = make_class(module, name, lanes, kwargs, draws)
    elif lanes is not None:
        return make_vector(gymnasium, id, lanes, kwargs if limit < 0 else dict(kwargs, max_episode_steps=limit or -1))
    else:
        kwargs = dict(draws, **kwargs)
        return gymnasium.make(id, **kwargs) if limit < 0 else gymnasium.make(id, limit or -1, **kwargs)
    is_limited = limit > 0 and lanes is None and not has_agents(env)
    return gymnasium.wrappers.TimeLimit(env, limit) if is_limited else env


def make_vector(gymnasium, name, lanes, kwargs):
    """The vector form of an id, or several of its single environments in one; its episodes begin in the step in which the
    last one ends, where it can do that."""
    same_step = gymnasium.vector.AutoresetMode.SAME_STEP
    module, colon, plain = name.partition(":")
    if colon:
        __import__(module)
    entry = gymnasium.spec(plain if colon else name).vector_entry_point
    if entry is None:
        options = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": same_step}}
        return gymnasium.make_vec(name, lanes, **options, **kwargs)
    create = gymnasium.envs.registration.load_env_creator(entry) if isinstance(entry, str) else entry
    if "autoreset_mode" not in kwargs and "autoreset_mode" in inspect.signature(create).parameters:
        kwargs = dict(kwargs, autoreset_mode=same_step)
    return gymnasium.make_vec(name, lanes, vectorization_mode="vector_entry_point", **kwargs)


def unknown_id(gymnasium, name):
    if is_pettingzoo(name):
        return Refusal("'%s' is no environment of gymnasium, but a module of PettingZoo: set id = \"pettingzoo:%s\"" % (name, name))
    return Refusal(
        "there is no environment '%s' in gymnasium %s%s (ids of other packages are 'package:Id-v0', classes of your own "
        "'module:Class')"
        % (name, gymnasium.__version__, did_you_mean(name, list(gymnasium.registry), 0.6))
    )
