// SPDX-License-Identifier: Apache-2.0
// tenon run --from-launcher: a run that a launcher on another machine starts.
#pragma once

namespace tenon::host {

// Reads what to do from standard input, goes to the launcher's folder, and does it. The exit code is that of the run.
int run_for_launcher();

}  // namespace tenon::host
