# SPDX-License-Identifier: Apache-2.0
"""Every plugin in a folder exports exactly one symbol, its entry, and none that all libraries of a process share.

Usage: exported_symbols.py NM PLUGIN_DIR
"""

import re
import subprocess
import sys
from pathlib import Path

ENTRY = re.compile(r"tn_plugin_entry_v\d+")


def defined_symbols(nm, plugin):
    """(type, name) of what `nm` says the file defines for others."""
    command = [nm, "--dynamic", "--defined-only", "--format=posix", plugin]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [(line.split()[1], line.split()[0]) for line in text.splitlines()]


def main():
    nm, folder = sys.argv[1], Path(sys.argv[2])
    plugins = sorted(folder.glob("*.so"))
    if not plugins:
        print(f"no plugin in {folder}")
        return 1
    wrong = 0
    for plugin in plugins:
        symbols = defined_symbols(nm, plugin)
        if len(symbols) != 1 or not ENTRY.fullmatch(symbols[0][1]) or symbols[0][0] == "u":
            wrong += 1
            names = ", ".join(f"{name} ({kind})" for kind, name in symbols[:10]) or "nothing"
            print(f"{plugin.name} exports {len(symbols)} symbols instead of its entry alone: {names}")
    print(f"{len(plugins) - wrong} of {len(plugins)} plugins export their entry alone")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
