// SPDX-License-Identifier: Apache-2.0
// Options of objectives by the names that are usual in the field: gamma, lambda, estimator. Objectives of others have
// them as well, and one that calls them otherwise gets no advice.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "train/plan/wiring.hpp"

namespace tenon {

// Nothing if the objective has no such number, or if a schedule or a hook moves it.
std::optional<double> number_of(const Wiring& wiring, const Part& part, std::string_view option);

// Empty if the objective has no such text.
std::string text_of(const Part& part, std::string_view option);

// "objective.gamma".
std::string key_of(const Part& part, std::string_view option);

// With at most six digits: "0.98", "100".
std::string short_number(double number);

}  // namespace tenon
