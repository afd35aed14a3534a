// SPDX-License-Identifier: Apache-2.0
// Columns in words, for callers in other languages.
#pragma once

#include <string>

#include "base/data/spec.hpp"
#include "base/json/write.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// The fields of an object: key, dtype, role, shape, kind, low, high, categories, the latter three empty where it has
// none.
void put_spec(JsonWriter& json, const Spec& spec);

// A JSON list with an object for each column of the specs and each flag of the storage: key, role, dtype, shape, kind,
// low, high, categories (empty where it has none), and whether it has final values.
std::string columns_text(const Composite& specs, const Storage& storage);

}  // namespace tenon
