// SPDX-License-Identifier: Apache-2.0
// The values of a manifest for TensorBoard's page HPARAMS, which compares runs by them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tenon {

using Hparam = std::variant<bool, double, std::string>;
using Hparams = std::vector<std::pair<std::string, Hparam>>;

// From values as flatten() writes them: numbers and flags by their type, anything else as text.
Hparams hparams_of(const std::map<std::string, std::string>& values);

// The event that begins a session with these values.
void append_hparams_event(std::string& out, double wall_time_s, const Hparams& hparams);

}  // namespace tenon
