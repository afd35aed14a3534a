# SPDX-License-Identifier: Apache-2.0
"""Sentences about failures, for the user."""

import os
import site
import sys
import sysconfig
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALLED = tuple(
    os.path.join(os.path.abspath(folder), "")
    for folder in set(sysconfig.get_paths().values()) | set(site.getsitepackages()) | {site.getusersitepackages()}
    if folder.rstrip(os.sep) not in (sys.prefix, sys.base_prefix)
)


NO_STEP = "step returned no (observation, reward, terminated, truncated, info), as Gymnasium's environments do"


class Refusal(Exception):
    """A sentence for the user, complete as it is. `option` is the one that is wrong, as the program names it; "id" stands
    for the one that says which environment it is."""

    def __init__(self, sentence, option="id"):
        super().__init__(sentence)
        self.option = option


def at_option(error, config):
    """The sentence of what failed while an environment was described, with the option that the manifest's place is of."""
    option = getattr(error, "option", "id")
    return "option '%s': %s" % (config["id_option"] if option == "id" else option, sentence_of(error))


def is_users(frame):
    """Neither of an installed package nor made at run time."""
    return not frame.filename.startswith(INSTALLED) and os.path.isfile(frame.filename)


def frames_of(error):
    """The places of an exception, or of its cause where only that one has places in the user's code."""
    frames = []
    while error is not None:
        own = [f for f in traceback.extract_tb(error.__traceback__) if os.path.dirname(f.filename) != HERE]
        if any(map(is_users, own)):
            return own
        frames, error = frames or own, error.__cause__
    return frames


def sentence_of(error, last=3):
    """'ValueError: no wheel (car.py:12 in step)': the exception and the innermost places of the user's code. If a library
    has raised it, its place comes last."""
    if isinstance(error, Refusal):
        return str(error)
    if unpacks_a_step(error):
        return NO_STEP
    if isinstance(error, SyntaxError) and error.filename:
        return "%s: %s (%s:%s)" % (type(error).__name__, error.msg, error.filename, error.lineno)
    if isinstance(error, SystemExit):
        what = "it called sys.exit(%s)" % ("" if error.code is None else error.code)
    else:
        text = " ".join(str(error).split())
        what = type(error).__name__ + (": " + text if text else "")
    frames = [f for f in frames_of(error) if not f.filename.startswith("<frozen ")]  # Python's own
    shown = [f for f in frames if is_users(f)] or [f for f in frames if "gymnasium" not in f.filename.split(os.sep)] or frames
    shown = shown[: -last - 1 : -1]
    if shown and shown[0] is not frames[-1]:
        shown.append(frames[-1])
    places = ["%s:%s in %s" % (f.filename, f.lineno, f.name) for f in shown]
    return what + (" (" + ", ".join(places) + ")" if places else "")


def unpacks_a_step(error):
    """Whether a wrapper of Gymnasium could not take apart what the user's step has returned."""
    if not isinstance(error, ValueError) or "to unpack" not in str(error):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1]
    return last.name == "step" and "gymnasium" in last.filename.split(os.sep)


def check_reset(result):
    """Raises a Refusal where a reset has returned something else than Gymnasium's do."""
    if not isinstance(result, tuple) or len(result) != 2 or not hasattr(result[1], "keys"):
        raise Refusal("reset returned no pair of an observation and infos, as Gymnasium's environments do")
    return result


def is_system_python():
    """Whether pip refuses to install into this interpreter, as that of Debian does (PEP 668)."""
    is_virtual = sys.prefix != sys.base_prefix
    return not is_virtual and os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))


def how_to_install(package):
    """What the user types to have the package."""
    if not is_system_python():
        return "install it with '%s -m pip install %s'" % (sys.executable, package)
    packages = " ".join(dict.fromkeys(("gymnasium", package)))
    return (
        "its pip installs only into virtual environments: make one with '%s -m venv venv && venv/bin/pip install %s', and "
        'name its interpreter with python = "venv/bin/python"' % (sys.executable, packages)
    )


def missing(package):
    other = "" if is_system_python() else ', or name another interpreter with python = "..."'
    return Refusal("%s has no package %s: %s%s" % (sys.executable, package, how_to_install("gymnasium"), other), "python")


def did_you_mean(name, known, similarity):
    """'; did you mean X or Y?', or nothing where no known name is so similar."""
    import difflib

    near = difflib.get_close_matches(name, known, 3, similarity)
    return "; did you mean %s?" % " or ".join("'%s'" % n for n in near) if near else ""
