# SPDX-License-Identifier: Apache-2.0
"""`python -m tenon`: the program."""

from ._program import main

main()
