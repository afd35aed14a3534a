#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ranges of Unicode's letters, numbers and blanks, which the tokenizer of GPT-2 tells apart:
    python3 plugins/envs/texts/unicode_classes.py > plugins/envs/texts/unicode_classes.inc
"""

import unicodedata


def ranges(name, belongs):
    found = []
    for code in range(0x110000):
        if not belongs(chr(code)):
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    lines, line = [], ""
    for first, last in found:
        each = f"{{{first:#x}, {last:#x}}}, "
        if len(line) + len(each) > 130:
            lines.append(line.rstrip())
            line = ""
        line += each
    print(f"constexpr Range {name}[] = {{\n    " + "\n    ".join([*lines, line.rstrip().rstrip(",")]) + "};")


print("// SPDX-License-Identifier: Apache-2.0")
print(f"// Made by unicode_classes.py from version {unicodedata.unidata_version} of Unicode.")
ranges("kLetters", lambda c: unicodedata.category(c)[0] == "L")
ranges("kNumbers", lambda c: unicodedata.category(c)[0] == "N")
ranges("kBlanks", lambda c: c in "\t\n\v\f\r\x85" or unicodedata.category(c)[0] == "Z")
