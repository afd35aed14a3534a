// SPDX-License-Identifier: Apache-2.0
// Columns in words, for callers in other languages.
#pragma once

#include <string>

#include "base/data/spec.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// A JSON list with an object for each column of the specs and each flag of the storage: key, role, dtype, shape, kind,
// low, high, categories (empty where it has none), and whether it has final values.
std::string columns_text(const Composite& specs, const Storage& storage);

}  // namespace tenon
