// SPDX-License-Identifier: Apache-2.0
#include "train/collect/training_steps.hpp"

namespace tenon {

TrainingSteps::TrainingSteps(const Wiring& wiring, std::span<const double> live, const ActingVersions& versions,
                             FrameSource& source)
    : wiring_(wiring),
      live_(live),
      versions_(versions),
      source_(source),
      version_(wiring.offers_version() ? source.storage().find(kPolicyVersion) : nullptr) {}

Result<std::uint32_t> TrainingSteps::step(const Standing& now, bool same_parameters) const {
    if (version_ != nullptr) {
        const std::uint32_t slot = source_.storage().head();
        for (const std::uint32_t lane : source_.ready()) {
            *static_cast<std::int64_t*>(row_at(version_->view, slot, lane)) = acting_version(now);
        }
    }
    return source_.step(acting_at(wiring_, now, live_, same_parameters));
}

void TrainingSteps::order(const Standing& now, std::int64_t steps) const {
    source_.order(acting_at(wiring_, now, live_, false), steps);
}

std::int64_t TrainingSteps::acting_version(const Standing& now) const {
    return wiring_.acts_by_version() ? versions_.acting() : now.updates;
}

}  // namespace tenon
