// SPDX-License-Identifier: Apache-2.0
// The names of the metrics that a run records.
#pragma once

#include <string>
#include <vector>

namespace tenon {

struct Wiring;

// What a run measures of itself, which is equal between equal runs.
std::vector<std::string> measured_names(const Wiring& wiring);
// The names in the order of a record: what is measured, and then times.
std::vector<std::string> metric_names(const Wiring& wiring);

}  // namespace tenon
