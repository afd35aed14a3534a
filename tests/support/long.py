# SPDX-License-Identifier: Apache-2.0
"""Whether .ci/long runs the tests: those of ./test leave out what it has, and say so where they do."""

import os

LONG = os.environ.get("TENON_LONG") == "1"
