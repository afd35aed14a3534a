# SPDX-License-Identifier: Apache-2.0
"""Each header of plugin_api alone, and included twice, in every language that a plugin may use.

Usage: headers_compile.py INCLUDE_DIR C_COMPILER CXX_COMPILER
       headers_compile.py INCLUDE_DIR --clang-tidy PROGRAM      with the front end of Clang, which clang-tidy has
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror", "-fsyntax-only"]


def compile_alone(compiler, language, standard, include_dir, header):
    """The compiler's words when it refuses the header, else an empty text."""
    source = f'#include "{header}"\n' * 2
    command = [compiler, *WARNINGS, f"-std={standard}", f"-I{include_dir}", "-x", language, "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{header} as {standard}:\n{done.stdout}{done.stderr}"


def parse_alone(clang_tidy, language, standard, include_dir, header):
    """The same by Clang, whose front end is all that is asked of clang-tidy: one check that finds nothing here."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source.c"
        source.write_text(f'#include "{header}"\n' * 2, encoding="utf-8")
        checks = ["--quiet", "--checks=-*,clang-diagnostic-*,misc-definitions-in-headers", "--header-filter=.*", "--config={}"]
        flags = [*WARNINGS, f"-std={standard}", f"-I{include_dir}", "-x", language]
        command = [clang_tidy, *checks, str(source), "--", *flags]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{header} as {standard}:\n{done.stdout}{done.stderr}"


def main():
    include_dir, c_compiler, cxx_compiler = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    one = compile_alone
    if c_compiler == "--clang-tidy":
        c_compiler, one = cxx_compiler, parse_alone
    headers = sorted(path.relative_to(include_dir).as_posix() for path in include_dir.rglob("*.h"))
    if not headers:
        print(f"no header in {include_dir}")
        return 1
    jobs = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for header in headers:
            for standard in ("c11", "c17"):
                jobs.append(pool.submit(one, c_compiler, "c", standard, include_dir, header))
            for standard in ("c++17", "c++20"):
                jobs.append(pool.submit(one, cxx_compiler, "c++", standard, include_dir, header))
    refusals = [job.result() for job in jobs if job.result()]
    print("\n".join(refusals))
    print(f"{len(headers)} headers, {len(jobs) - len(refusals)} of {len(jobs)} compilations passed")
    return 1 if refusals else 0


if __name__ == "__main__":
    sys.exit(main())
