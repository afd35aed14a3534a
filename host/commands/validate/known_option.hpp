// SPDX-License-Identifier: Apache-2.0
// Options of objectives and policies by the usual names of the field: gamma, lambda, stop. Those of other plugins have
// them as well; one with other names gets no advice.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "train/plan/wiring.hpp"

namespace tenon {

// The number. Nothing if the objective has no such option, or if a schedule or a hook moves it.
std::optional<double> number_of(const Wiring& wiring, const Part& part, std::string_view option);

// Whether the option is true; also if there is no such option.
bool is_on(const Part& part, std::string_view option);

// The text; empty if the objective has no such option.
std::string text_of(const Part& part, std::string_view option);

// "objective.gamma".
std::string key_of(const Part& part, std::string_view option);

// With at most six digits: "0.98", "100".
std::string short_number(double number);

}  // namespace tenon
