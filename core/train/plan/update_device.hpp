// SPDX-License-Identifier: Apache-2.0
// What happens on run.device: which objectives learn on it, and whether columns stay on it, so that acting, stepping
// and storing happen on it as well.
#pragma once

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "compute/parameters/network.hpp"
#include "train/plan/capabilities/matcher.hpp"

namespace tenon {

class Lanes;
struct ObjectivePlan;
struct Wiring;

// A learner without values: it has the layouts, and says which versions exist. It is enough to lower programs.
Result<Learner> learner_without_values(const Wiring& wiring);

// Fills ObjectivePlan::on_cpu. With run.learn_on = "device", an objective that cannot learn on the device is a problem.
// Requires a wiring that is complete otherwise, with a device; `learner`: the learner without values.
void wire_update_device(Wiring& wiring, const Learner& learner, Problems& problems);

// Fills Wiring::why_columns_on_host. Requires the same, and objectives that are wired to the device.
void wire_columns(Wiring& wiring, const Lanes& lanes, const Learner& learner);

// Whether an objective learns on run.device.
[[nodiscard]] bool learns_on_device(const Wiring& wiring);
[[nodiscard]] bool learns_on_device(const Wiring& wiring, const ObjectivePlan& plan);

// Why the device does not step the lanes, and what to do about it.
Reason why_lanes_on_cpu(const Wiring& wiring);

}  // namespace tenon
