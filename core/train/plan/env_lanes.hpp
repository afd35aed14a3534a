// SPDX-License-Identifier: Apache-2.0
// Lanes of an env, or of the tasks that share them, with its wrappers and transforms.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "experience/env/lanes.hpp"
#include "train/plan/live.hpp"
#include "train/plan/parts.hpp"

namespace tenon {

// The lanes of each task in training, or of the only env.
std::vector<std::uint32_t> training_lanes(const EnvParts& parts, std::uint32_t lanes);

// An env with its wrappers and transforms; `stream` distinguishes the training env from evaluation envs. lanes: those
// of each task; tasks without lanes are left out. Options of wrappers follow their live values, which must outlive the
// lanes. An env that has kernels is stepped on the device if there is one, unless tasks share the lanes.
Result<Lanes> make_lanes(const EnvParts& parts, const LivePlan& live, std::span<const std::uint32_t> lanes,
                         std::uint64_t seed, std::string_view stream, Pool& pool,
                         std::shared_ptr<Device> device = nullptr);

// The transforms of an env that are procedures.
Result<std::vector<Instance>> make_transforms(const EnvParts& parts, std::uint32_t lanes, std::uint64_t seed,
                                              std::string_view stream);

// Makes returns the sums of the reward that the manifest names, if it names one (eval.returns).
Status sum_returns(Lanes& lanes, const Manifest& manifest);

}  // namespace tenon
