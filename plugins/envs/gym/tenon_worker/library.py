# SPDX-License-Identifier: Apache-2.0
"""What a program has to know of an interpreter that it runs in its own process."""

import os
import sys
import sysconfig

from .sentences import Refusal


def find_library():
    """The shared library of this interpreter."""
    version = sysconfig.get_config_var("LDVERSION")
    installed = sysconfig.get_config_var("INSTSONAME") or ""
    names = [name for name in (installed, "libpython%s.so.1.0" % version) if ".so" in name]
    for folder in (sysconfig.get_config_var("LIBDIR"), os.path.join(sys.base_prefix, "lib")):
        for name in names:
            path = os.path.join(folder or "", name)
            if os.path.isfile(path):
                return path
    raise Refusal(
        "%s was built without a shared library (there is no %s), which it takes to run it in this process: name another "
        'interpreter with python = "...", or use gym/env, which needs none (on Debian the package libpython%s brings it)'
        % (sys.executable, names[-1], version)
    )


def settings():
    """What `prepare` in embedded.py sets there."""
    return {"path": sys.path, "argv": sys.argv, "utf8": os.environ.get("PYTHONUTF8")}
