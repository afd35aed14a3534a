# SPDX-License-Identifier: Apache-2.0
"""Sentences about failures, for the user."""

import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))


class Refusal(Exception):
    """A sentence for the user, complete as it is."""


def sentence_of(error, last=3):
    """'ValueError: no wheel (car.py:12 in step)': the exception and the innermost places of the user's code."""
    if isinstance(error, Refusal):
        return str(error)
    if isinstance(error, SystemExit):
        what = "it called sys.exit(%s)" % ("" if error.code is None else error.code)
    else:
        text = " ".join(str(error).split())
        what = type(error).__name__ + (": " + text if text else "")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if os.path.dirname(f.filename) != HERE]
    mine = [f for f in frames if os.sep + "gymnasium" + os.sep not in f.filename] or frames
    places = ["%s:%s in %s" % (f.filename, f.lineno, f.name) for f in mine[-last:]]
    return what + (" (" + ", ".join(reversed(places)) + ")" if places else "")


def missing(package):
    return Refusal(
        "%s has no package %s: install it with '%s -m pip install gymnasium', or name another interpreter with "
        'python = "..."' % (sys.executable, package, sys.executable)
    )


def did_you_mean(name, known, similarity):
    """'; did you mean X or Y?', or nothing where no known name is so similar."""
    import difflib

    near = difflib.get_close_matches(name, known, 3, similarity)
    return "; did you mean %s?" % " or ".join("'%s'" % n for n in near) if near else ""
