// SPDX-License-Identifier: Apache-2.0
// The warnings, one function each. Each adds a problem whose sentence says why, and whose help names the key to set.
#pragma once

#include "base/error/problem.hpp"

namespace tenon {

struct Wiring;

// answer_advice.cpp
void advise_stop(const Wiring& wiring, Problems& problems);
void advise_draws(const Wiring& wiring, Problems& problems);

// device_advice.cpp
void advise_device(const Wiring& wiring, Problems& problems);
void advise_cluster(const Wiring& wiring, Problems& problems);

// guide_advice.cpp
void advise_guide(const Wiring& wiring, Problems& problems);

// learning_advice.cpp
void advise_horizon(const Wiring& wiring, Problems& problems);
void advise_target_entropy(const Wiring& wiring, Problems& problems);
void advise_short_batch(const Wiring& wiring, Problems& problems);

// pace_advice.cpp
void advise_time_limit(const Wiring& wiring, Problems& problems);
void advise_truncation(const Wiring& wiring, Problems& problems);
void advise_pool(const Wiring& wiring, Problems& problems);
void advise_replay_ratio(const Wiring& wiring, Problems& problems);

// schedule_advice.cpp
void advise_scheduled_value(const Wiring& wiring, Problems& problems);

// untrained_advice.cpp
void advise_untrained(const Wiring& wiring, Problems& problems);

// value_advice.cpp
void advise_reward_scale(const Wiring& wiring, Problems& problems);
void advise_observation_scale(const Wiring& wiring, Problems& problems);

}  // namespace tenon
