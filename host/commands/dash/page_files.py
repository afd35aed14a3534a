#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes page_files.cpp: the files of the page as strings of the program.

Usage: page_files.py OUT FILE...
"""

import sys
from pathlib import Path

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml"}
END = "tenon_page"  # of a raw string; in none of the files
PIECE = 15_000  # compilers need not take longer strings


def literal(text):
    if f'){END}"' in text:
        sys.exit(f"a file of the page contains the end of a raw string: {END}")
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    return "\n".join(f'R"{END}({piece}){END}"' for piece in pieces)


def main():
    out, *files = map(Path, sys.argv[1:])
    rows = []
    for path in files:
        name = "/" if path.name == "index.html" else f"/{path.name}"
        rows.append(f'    {{"{name}", "{TYPES[path.suffix]}", {literal(path.read_text(encoding="utf-8"))}}},')
    out.write_text(
        "// Made by page_files.py.\n"
        '#include "commands/dash/page_files.hpp"\n\n#include <algorithm>\n#include <array>\n\nnamespace tenon {\nnamespace {\n\n'
        f"constexpr std::array<PageFile, {len(rows)}> kFiles = {{{{\n" + "\n".join(rows) + "\n}};\n\n}  // namespace\n\n"
        "std::optional<PageFile> page_file(std::string_view path) {\n"
        "    const auto* found = std::ranges::find(kFiles, path, &PageFile::path);\n"
        "    return found == kFiles.end() ? std::nullopt : std::optional(*found);\n}\n\n}  // namespace tenon\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
