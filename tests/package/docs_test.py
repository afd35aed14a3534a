# SPDX-License-Identifier: Apache-2.0
"""Installs the documentation alone and follows every link of its pages: the sources, headers and manifests that they
name are installed beside them."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    for name in ("build", "source"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.source / "tools"))
    import check_links

    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run([arguments.cmake, "--install", arguments.build, "--component", "docs", "--prefix", prefix],
                       check=True, stdout=subprocess.DEVNULL)
        root = Path(prefix) / "share" / "doc" / "tenon"
        found = list(check_links.findings(root))
        missing = [page.relative_to(arguments.source) for page in check_links.pages_of(arguments.source)
                   if not (root / page.relative_to(arguments.source)).is_file()]
        found += [f"{page} is not installed" for page in missing]
        print("\n".join(found) or f"every link of {len(check_links.pages_of(root))} installed pages leads somewhere")
        sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
