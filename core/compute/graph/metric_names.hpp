// SPDX-License-Identifier: Apache-2.0
// The names that the host records below "train/". Metrics of objectives have names below it, too.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace tenon::metric {

inline constexpr std::string_view kTrain = "train/";
inline constexpr std::string_view kLoss = "loss";  // the sum of all losses
inline constexpr std::string_view kLossOf = "loss/";
inline constexpr std::string_view kGradNormOf = "grad_norm/";  // and the name of a stage
inline constexpr std::string_view kLearningRate = "learning_rate";
inline constexpr std::string_view kUpdates = "n_updates";
inline constexpr std::string_view kLeftOut = "n_left_out";  // if train.on_not_finite skips minibatches

// Whether the host uses the name, so that an objective cannot.
inline bool is_of_the_host(std::string_view name) {
    constexpr std::array kNames = {kLoss, kLearningRate, kUpdates, kLeftOut};
    return std::ranges::find(kNames, name) != kNames.end() || name.starts_with(kLossOf) ||
           name.starts_with(kGradNormOf);
}

}  // namespace tenon::metric
