// SPDX-License-Identifier: Apache-2.0
#include "experience/env/lane_faults.hpp"

#include <algorithm>

namespace tenon {
namespace {

// When a simulator fails in many lanes at once, so many messages are printed, each of at most this length.
constexpr std::size_t kMostSaid = 3;
constexpr std::size_t kMostRuns = 4;

// Lanes that were given up in one step for the same reason.
struct GivenUp {
    Blamed by;
    const std::string* reason;
    std::vector<std::uint32_t> lanes;  // in ascending order
};

// "lane 3", "lanes 0 to 7", "lanes 1, 4 and 6 to 9", "lanes 1, 3, 5, 7 and 12 more"
std::string named(const std::vector<std::uint32_t>& lanes) {
    std::vector<std::string> runs;
    std::size_t at = 0;
    while (at < lanes.size() && runs.size() < kMostRuns) {
        std::size_t end = at + 1;
        while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1) {
            ++end;
        }
        runs.push_back(std::to_string(lanes[at]) + (end - at == 1 ? "" : " to " + std::to_string(lanes[end - 1])));
        at = end;
    }
    if (at < lanes.size()) {
        runs.push_back(std::to_string(lanes.size() - at) + " more");
    }
    std::string text = lanes.size() == 1 ? "lane " : "lanes ";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == runs.size() ? " and " : ", ") + runs[i];
    }
    return text;
}

}  // namespace

void LaneFaults::resize(std::uint32_t lanes, const Callee<tn_env_api>& env) {
    status.assign(lanes, 0);
    reasons.resize(lanes);
    blamed.assign(lanes, Blamed::of(env));
}

// An env has one text per thread, for all lanes that it gave up in this call: the text of the last one.
void LaneFaults::note_reasons(const EnvStack& env, const Storage& storage, std::uint32_t first, std::uint32_t count) {
    const auto is_new = [&](std::uint32_t lane) {
        return status[lane] != 0 && storage.parked()[lane] == 0 && reasons[lane].empty();
    };
    std::size_t given_up = 0;
    for (std::uint32_t lane = first; lane < first + count; ++lane) {
        given_up += is_new(lane) ? 1 : 0;
    }
    const std::string text = take_error();
    for (std::uint32_t lane = first; lane < first + count; ++lane) {
        if (!is_new(lane)) {
            continue;
        }
        blamed[lane] = Blamed::of(env.blamed_for(lane));
        reasons[lane] = text.empty()    ? ": its status is " + std::to_string(status[lane])
                        : given_up == 1 ? ": " + text
                                        : "; the last reason given is: " + text;
    }
}

void LaneFaults::park(const EnvStack& env, Storage& storage, Problems& warnings) const {
    std::vector<GivenUp> groups;
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        if (status[lane] == 0 || storage.parked()[lane] != 0) {
            continue;
        }
        storage.park(lane);
        const auto is_alike = [&](const GivenUp& group) {
            return group.by == blamed[lane] && *group.reason == reasons[lane];
        };
        const auto group = std::ranges::find_if(groups, is_alike);
        if (group == groups.end()) {
            groups.push_back({.by = blamed[lane], .reason = &reasons[lane], .lanes = {lane}});
        } else {
            group->lanes.push_back(lane);
        }
    }
    std::size_t unnamed = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (i < kMostSaid) {
            const char* const what = all_needed                    ? " cannot go on"
                                     : groups[i].lanes.size() == 1 ? " is parked and its frames are left out"
                                                                   : " are parked and their frames are left out";
            warnings.push_back(groups[i].by.problem(named(groups[i].lanes) + what + *groups[i].reason));
        } else {
            unnamed += groups[i].lanes.size();
        }
    }
    if (unnamed > 0) {
        warnings.push_back(env.env().problem(std::to_string(unnamed) +
                                             (unnamed == 1 ? " more lane is" : " more lanes are") +
                                             " parked in the same step"));
    }
}

Problem LaneFaults::none_left() const {
    const auto said =
        std::find_if(reasons.begin(), reasons.end(), [](const std::string& text) { return !text.empty(); });
    const auto lane = static_cast<std::size_t>(said == reasons.end() ? 0 : said - reasons.begin());
    Problem problem =
        blamed[lane].problem("all lanes are parked, so the run cannot continue" + (said == reasons.end() ? "" : *said));
    const auto lacks_memory = [](std::uint8_t of_lane) { return of_lane == TN_OUT_OF_MEMORY; };
    if (std::all_of(status.begin(), status.end(), lacks_memory)) {
        problem.fault = Fault::kEnvironment;
    }
    return problem;
}

}  // namespace tenon
