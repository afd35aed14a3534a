# SPDX-License-Identifier: Apache-2.0
"""Environments that a class or function of the user's makes: "module:Class"."""

import importlib
import inspect
import os

from .sentences import Refusal, did_you_mean, sentence_of
from .zoo import has_agents

INTERFACE = ("observation_space", "action_space", "reset", "step")
VECTOR_INTERFACE = ("single_observation_space", "single_action_space", "reset", "step")


def make_class(module, name, lanes, kwargs, draws):
    """What a class or function of a module makes; with Gymnasium's interface around dm_env's."""
    factory = find_factory(module, name)
    what = "%s:%s" % (module, name)
    given = dict(kwargs) if lanes is None else dict(kwargs, num_envs=lanes)
    parameters = parameters_of(factory)
    if lanes is None and draws.keys() <= (parameters or {}).keys():
        given = dict(draws, **given)
    check_kwargs(what, parameters, kwargs, lanes)
    env = factory(**given)
    check_interface(what, env, kwargs)
    if lanes is None and (hasattr(env, "get_env_info") or hasattr(env, "reward_spec")):
        from .teams import as_parallel

        env = as_parallel(env)
    if has_agents(env):
        return env
    if not hasattr(env, "observation_space") and hasattr(env, "observation_spec") and lanes is None:
        from .dm_env import DmEnv

        return DmEnv(env, factory, given)
    lacking = [n for n in (INTERFACE if lanes is None else VECTOR_INTERFACE) if not hasattr(env, n)]
    if lacking:
        raise Refusal("'%s' made %s, which is no environment: it lacks %s" % (what, named(env), ", ".join(lacking)))
    return env


def check_interface(what, env, kwargs):
    """Raises a Refusal where it is an environment with the interface of another package."""
    is_dm_env = callable(getattr(env, "observation_spec", None))
    if hasattr(env, "observation_spec") and not is_dm_env and not hasattr(env, "observation_space"):
        raise Refusal(
            "'%s' took its kwargs %s and made %s, which has neither Gymnasium's interface nor dm_env's: its observation_spec "
            "is no method; jumanji.wrappers.JumanjiToGymWrapper gives an environment of Jumanji Gymnasium's"
            % (what, kwargs, named(env))
        )


def find_factory(module, name):
    if module.endswith(".py") or "/" in module:
        folder, file = os.path.split(module[:-3] if module.endswith(".py") else module)
        raise Refusal(
            "'%s:%s' names a file: write '%s:%s'%s"
            % (module, name, file, name, ', and folder = "%s"' % folder if folder else "")
        )
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError:
        raise
    except (Exception, SystemExit) as error:
        raise Refusal("the module %s cannot be imported: %s" % (module, sentence_of(error))) from error
    factory = getattr(loaded, name, None)
    if factory is None:
        known = [n for n, value in vars(loaded).items() if callable(value) and not n.startswith("_")]
        envs = [n for n in known if hasattr(getattr(loaded, n), "step") and hasattr(getattr(loaded, n), "reset")]
        near = did_you_mean(name, known, 0.6) or ("; it has " + ", ".join(envs) if envs else "")
        raise Refusal("the module %s (%s) has no class %s%s" % (module, loaded.__file__, name, near))
    if not callable(factory):
        raise Refusal("'%s:%s' is %s, and should be a class or a function" % (module, name, named(factory)))
    return factory


def parameters_of(factory):
    try:
        return inspect.signature(factory).parameters
    except ValueError:  # of C code
        return None


def check_kwargs(what, parameters, kwargs, lanes):
    """Raises a Refusal that names what a constructor takes, where it does not take what it is given."""
    if parameters is None or any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    if lanes is not None and "num_envs" not in parameters:
        raise Refusal(
            "the constructor of '%s' takes no num_envs, so it makes single environments: leave out vector" % what, "vector"
        )
    taken = [n for n in parameters if n not in ("render_mode", "num_envs")]
    for key in kwargs:
        if key not in parameters:
            near = did_you_mean(key, taken, 0.6) or "; it takes " + (", ".join(taken) or "none")
            raise Refusal(
                "the constructor of '%s' refuses its kwargs %s: there is no '%s'%s" % (what, kwargs, key, near), "kwargs"
            )
    lacking = [n for n, p in parameters.items() if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    lacking = [n for n in lacking if n not in kwargs and n != "num_envs"]
    if lacking:
        raise Refusal(
            "the constructor of '%s' needs %s: kwargs = { %s = ... }" % (what, " and ".join(lacking), lacking[0]),
            "kwargs" if kwargs else "id",
        )


def check_seed(env):
    """Raises a Refusal where reset takes no seed, as in Gym's first interface. Gymnasium's wrappers pass it on."""
    while type(env).__module__.startswith("gymnasium.") and hasattr(env, "env"):
        if "compatibility" in type(env).__module__:  # before Gymnasium 1.0: it takes the seed itself
            return
        env = env.env
    try:
        parameters = inspect.signature(env.reset).parameters.values()
    except (TypeError, ValueError):  # of C code
        return
    if any(p.name == "seed" or p.kind is p.VAR_KEYWORD for p in parameters):
        return
    code = getattr(env.reset, "__code__", None)
    place = " (%s:%s)" % (code.co_filename, code.co_firstlineno) if code else ""
    raise Refusal(
        "%s.reset takes no seed%s: its signature has to be reset(self, *, seed=None, options=None)" % (type(env).__name__, place)
    )


def named(value):
    """'None', 'an int', 'a Thing'"""
    kind = type(value).__name__
    return "None" if value is None else ("an " if kind[0] in "aeiouAEIOU" else "a ") + kind


def near_module(config, name):
    """'; did you mean X?', where the folder of the user's modules has one with a similar name."""
    folder = config["folder"]
    files = os.listdir(folder) if folder else []
    known = [f[:-3] for f in files if f.endswith(".py")]
    known += [f for f in files if os.path.isfile(os.path.join(folder, f, "__init__.py"))]
    return did_you_mean(name, known, 0.6)
