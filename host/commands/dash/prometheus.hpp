// SPDX-License-Identifier: Apache-2.0
// The latest numbers of all runs in the text format of Prometheus.
#pragma once

#include <string>

#include "shared/watch/run_watch.hpp"

namespace tenon {

// tenon_metric{run="NAME",metric="train/loss"} 0.5, tenon_running{run="NAME"} 1
std::string runs_for_prometheus(const RunsView& view);

}  // namespace tenon
