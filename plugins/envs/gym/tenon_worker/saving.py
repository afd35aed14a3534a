# SPDX-License-Identifier: Apache-2.0
"""Environments as bytes, for checkpoints."""

import copyreg
import io
import pickle

from gymnasium.utils import EzPickle

from .sentences import Refusal, sentence_of


def of_ezpickle(env):
    """An environment of EzPickle as it is. By itself it pickles only the arguments of its constructor, so that a resumed run would
    silently go on in another episode."""
    return copyreg.__newobj__, (type(env),), env.__dict__, None, None, put


def put(env, members):
    env.__dict__.update(members)


class Pickler(pickle.Pickler):
    def reducer_override(self, value):
        return of_ezpickle(value) if isinstance(value, EzPickle) else NotImplemented


def dumps(env):
    try:
        return pickled(Pickler, env)
    except Exception as error:
        try:
            return pickled(with_functions(), env)
        except Exception:
            raise Refusal(sentence_of(error)) from error


def pickled(kind, env):
    out = io.BytesIO()
    kind(out, protocol=4).dump(env)
    return out.getvalue()


def with_functions():
    """Of cloudpickle, which Gymnasium needs: takes functions and local classes too."""
    import cloudpickle

    class CloudPickler(cloudpickle.CloudPickler):
        def reducer_override(self, value):
            return of_ezpickle(value) if isinstance(value, EzPickle) else super().reducer_override(value)

    return CloudPickler
