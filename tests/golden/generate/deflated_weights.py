# SPDX-License-Identifier: Apache-2.0
# Peer: zipfile and zlib of Python 3.11.
#
#   python deflated_weights.py ..    sb3_deflated.zip, torch_deflated.pt: the entries of sb3_cartpole.zip and torch_state.pt
#                                    (torch_weights.py), deflated
import sys
import zipfile
from pathlib import Path

folder = Path(sys.argv[1])
for source, target in (("sb3_cartpole.zip", "sb3_deflated.zip"), ("torch_state.pt", "torch_deflated.pt")):
    with zipfile.ZipFile(folder / source) as old, zipfile.ZipFile(folder / target, "w") as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name), old.read(name), zipfile.ZIP_DEFLATED, 9)
