# SPDX-License-Identifier: Apache-2.0
"""What docs/reference/ops.md gives as the C++ of an op is in the SDK's headers, and every operator there is in it."""

import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tools/generate"))
import ops_docs  # noqa: E402
import ops_table  # noqa: E402

HEADERS = "".join((ROOT / "sdk/include/tenon" / name).read_text(encoding="utf-8")
                  for name in ("graph.hpp", "generated/ops.hpp", "build.hpp", "region.hpp", "fused.hpp"))  # fmt: skip
ops = [op for op in ops_table.read(ROOT / "core/compute/graph/ops.toml") if not op.internal]
spelled: dict[str, list[str]] = {}
for op in ops:  # an older revision is written in no way of its own
    spelled.setdefault(op.name, []).extend(ops_docs.spelled(op, ops))

for op, texts in spelled.items():
    assert texts or op in ("argument", "int_constant"), f"{op} is written in no way"
    for text in texts:
        calls = re.findall(r"\b([a-z_0-9]+)(?:<N>)?\(", text)
        for name in calls:
            assert re.search(rf"\b{name}\(", HEADERS), f"{op}: the SDK has no {name}, of `{text}`"
        signs = re.fullmatch(r"(?:a )?(<=|>=|==|!=|&&|\|\||[-+*/<>!])(?: b|x)", text)
        if signs:
            assert f"operator{signs[1]}(" in HEADERS, f"{op}: the SDK has no operator {signs[1]}"
        assert calls or signs or text == "0.5", f"{op}: `{text}` was not looked at"

head = r"inline Value (?:operator\S+|min|max)\((?:In \w+(?:, )?)+\) \{"
existing = set(re.findall(head + r'\s+return detail::emit\("(\w+)"', HEADERS))
assert existing == set(ops_docs.SHORTER), existing ^ set(ops_docs.SHORTER)
