// SPDX-License-Identifier: Apache-2.0
// What a run records of the frames that it collects (collector.record).
#pragma once

#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "experience/replay/storage_columns.hpp"

namespace tenon {

struct Wiring;

// The columns of the env, and the outputs of acting that the run stores.
std::vector<StorageColumn> recorded_columns(const Wiring& w);

// The component that writes the dataset that collector.record names; empty: it names a file of frames.
Result<std::string> recording_format(const Wiring& w);

}  // namespace tenon
