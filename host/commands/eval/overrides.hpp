// SPDX-License-Identifier: Apache-2.0
// Values of the run's manifest that an evaluation overrides.
#pragma once

#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/override.hpp"
#include "run/sessions/scoring.hpp"

namespace tenon::host {

// As the run reads them: a value of [env] is that of the env that is played, which may have its own in [[eval.env]].
// Values that no evaluation reads are refused.
Result<std::vector<Override>> overrides_of_evaluation(const ScoringRequest& request, std::vector<Override> given);

}  // namespace tenon::host
