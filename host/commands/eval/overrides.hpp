// SPDX-License-Identifier: Apache-2.0
// Values of the run's manifest that an evaluation overrides.
#pragma once

#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/override.hpp"
#include "run/sessions/scoring.hpp"

namespace tenon::host {

// The overrides of `tenon eval` as overrides of the run's manifest: a value of [env] applies to the env that is played,
// which may be one of [[eval.env]]. Values that no evaluation reads are refused.
Result<std::vector<Override>> overrides_of_evaluation(const ScoringRequest& request, std::vector<Override> given);

}  // namespace tenon::host
