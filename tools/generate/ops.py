#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes everything that follows from the table of ops, core/compute/graph/ops.toml.

Usage: ops.py --write | --check [--root DIR]

--write  writes the generated files and appends new lines to plugin_api/ops.lock; refuses to change a line of the lock.
--check  writes nothing; exits 1 and names each file that is not up to date and each line of the lock that the table no
         longer agrees with.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import ops_cpp  # noqa: E402
import ops_docs  # noqa: E402
import ops_lock  # noqa: E402
import ops_table  # noqa: E402


def generated(ops):
    return {
        "core/compute/graph/generated/op_ids.inc": ops_cpp.op_ids(ops),
        "core/compute/graph/generated/rules.inc": ops_cpp.rule_functions(ops),
        "core/compute/graph/generated/op_table.inc": ops_cpp.op_table(ops),
        "core/compute/gradient/generated/expressions.inc": ops_cpp.expressions(ops),
        "core/compute/gradient/generated/adjoints.inc": ops_cpp.adjoints(ops),
        "core/engines/compiled/generated/forms.inc": ops_cpp.forms(ops),
        "core/engines/compiled/generated/form_methods.inc": ops_cpp.form_methods(ops),
        "core/engines/compiled/generated/codes.inc": ops_cpp.codes(ops),
        "core/engines/compiled/generated/code_names.inc": ops_cpp.code_names(ops),
        "core/engines/torch/generated/kernels.inc": ops_cpp.kernels(ops),
        "core/engines/torch/generated/kernel_declarations.inc": ops_cpp.kernel_declarations(ops),
        "sdk/include/tenon/generated/ops.hpp": ops_cpp.sdk(ops),
        "tests/unit/torch/generated/op_examples.inc": ops_cpp.examples(ops),
        "docs/reference/ops.md": ops_docs.reference(ops),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    arguments = parser.parse_args()
    table = arguments.root / "core/compute/graph/ops.toml"
    try:
        ops = ops_table.read(table)
    except ops_table.Mistake as mistake:
        sys.exit(f"{table}: {mistake}")

    lock = arguments.root / "plugin_api/ops.lock"
    locked = lock.read_text().splitlines() if lock.exists() else [ops_lock.HEADER]
    wanted = ops_lock.lines(ops)
    complaints = ops_lock.broken(locked, wanted)
    missing = [line for line in wanted if line not in set(locked)]
    if arguments.check:
        complaints += [f"{line.split(' {')[0]} is not in plugin_api/ops.lock yet" for line in missing]

    for name, text in generated(ops).items():
        path = arguments.root / name
        if path.exists() and path.read_text() == text:
            continue
        if arguments.check:
            complaints.append(f"{name} is not up to date")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if complaints:
        sys.exit("\n".join(complaints) + ("\nrepeat with --write" if arguments.check else ""))
    if arguments.write and missing:
        lock.write_text("\n".join(locked + missing) + "\n")


if __name__ == "__main__":
    main()
