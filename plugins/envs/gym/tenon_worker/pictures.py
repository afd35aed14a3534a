# SPDX-License-Identifier: Apache-2.0
"""Pictures of environments, by Gymnasium's render mode rgb_array."""

import numpy as np

from .make import make_env
from .sentences import Refusal, sentence_of


def describe(config):
    """Height, width, and steps of the environment in a second."""
    if config["id"].startswith("vmas:"):
        raise Refusal("worlds of VMAS draw no pictures here")
    if config["vector"]:
        raise Refusal("a vector environment draws no pictures here: leave out vector = \"make_vec\"")
    env = make_env(dict(config, draws=True))
    env.reset(seed=0)
    frame = draw(env, config["name"])
    env.close()
    rate = (getattr(env, "metadata", None) or {}).get("render_fps")
    return frame.shape[0], frame.shape[1], float(rate or 0)


def draw(env, name, shape=None):
    """The present state of an environment as [height, width, 3] bytes; of this shape, if one is given."""
    try:
        frame = env.render()
    except NotImplementedError:
        raise Refusal("'%s' draws no pictures: it has no function render" % name) from None
    except Exception as error:
        raise Refusal("'%s' cannot draw: %s" % (name, sentence_of(error))) from error
    if getattr(frame, "dtype", None) != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
        what = "%s %s" % (frame.dtype, frame.shape) if isinstance(frame, np.ndarray) else type(frame).__name__
        raise Refusal("render() of '%s' returned %s and no array [height, width, 3] of uint8: it needs the render mode "
                      "'rgb_array'" % (name, what))
    if shape and frame.shape[:2] != shape:
        raise Refusal("the pictures of '%s' change their size" % name)
    return frame
