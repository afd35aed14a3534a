// SPDX-License-Identifier: Apache-2.0
#include "commands/validate/advice.hpp"

#include <array>
#include <utility>

#include "commands/validate/advices.hpp"
#include "config/manifest/allowed.hpp"
#include "train/plan/column_readers.hpp"

namespace tenon {
namespace {

struct Entry {
    std::string_view name;
    void (*add)(const Wiring& wiring, Problems& problems);
};

constexpr auto kAll = std::to_array<Entry>({{"horizon", advise_horizon},
                                            {"target_entropy", advise_target_entropy},
                                            {"reward_scale", advise_reward_scale},
                                            {"truncation", advise_truncation},
                                            {"replay_ratio", advise_replay_ratio},
                                            {"short_batch", advise_short_batch},
                                            {"observation_scale", advise_observation_scale},
                                            {"scheduled_value", advise_scheduled_value},
                                            {"pool", advise_pool},
                                            {"device", advise_device},
                                            {"cluster", advise_cluster},
                                            {"time_limit", advise_time_limit},
                                            {"untrained", advise_untrained},
                                            {"guide", advise_guide},
                                            {"stop", advise_stop},
                                            {"draws", advise_draws},
                                            {kUnreadColumn, warn_of_unread}});

}  // namespace

std::vector<Advice> advice_of(const Wiring& wiring) {
    std::vector<Advice> out;
    for (const Entry& entry : kAll) {
        Problems problems;
        entry.add(wiring, problems);
        for (Problem& problem : unless_allowed(wiring.manifest, entry.name, std::move(problems))) {
            out.push_back({entry.name, std::move(problem)});
        }
    }
    return out;
}

}  // namespace tenon
