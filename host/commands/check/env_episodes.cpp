// SPDX-License-Identifier: Apache-2.0
// Checks of episodes: flags, limits, first and last observations, the specs of columns.
#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "base/data/key.hpp"
#include "base/data/spec_values.hpp"
#include "base/error/listed.hpp"
#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"
#include "experience/env/row_values.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kEpisodeSteps = 500;
constexpr std::size_t kFirsts = 300;  // first observations that are compared

const DriveColumn& find(EnvDrive& drive, const std::string& key) {
    auto& columns = drive.columns();
    return *std::find_if(columns.begin(), columns.end(), [&](const DriveColumn& each) { return each.key == key; });
}

// Calls look(drive, number of steps) after the reset and after every step, until it returns a sentence.
template <class Look>
Verdict look_on(const CheckSubject& subject, EnvDrive& drive, const Look& look) {
    TENON_TRY(drive.reset());
    std::string found = look(drive, false);
    for (Pace pace(subject, kEpisodeSteps); found.empty() && pace.more();) {
        TENON_TRY(drive.step());
        found = look(drive, true);
    }
    return found.empty() ? passed() : failed(found);
}

std::string at_lane(std::uint32_t lane, const EnvDrive& drive) {
    return "after " + steps_text(drive.steps()) + " in lane " + std::to_string(lane) + ": ";
}

std::string odd_flag(EnvDrive& drive, std::uint32_t lane) {
    for (const char* const key : {"terminated", "truncated"}) {
        const auto flag = *static_cast<const std::uint8_t*>(find(drive, key).row(drive.before(), lane));
        if (flag > 1) {
            return at_lane(lane, drive) + "'" + key + "' is " + std::to_string(flag);
        }
    }
    return "";
}

// What is wrong with a row; empty if nothing is.
std::string odd_row(const Spec& spec, const DriveColumn& column, std::uint32_t slot, std::uint32_t lane) {
    std::string shown = "'" + column.key + "' is " + row_text(column.view, slot, lane);
    if (const std::string what = not_finite(column.view, slot, lane); !what.empty()) {
        return shown;
    }
    return contains(spec, column.row(slot, lane)) ? "" : shown + ", but its spec is " + to_string(spec);
}

// The range of each element of an observation, and the distinct rows while there are few.
struct Seen {
    static constexpr std::size_t kFew = 16;

    std::vector<double> low, high;
    std::set<std::string> rows;
    bool has_few = true;

    void add(const DriveColumn& column, std::uint32_t slot, std::uint32_t lane) {
        const std::vector<double> row = values(column, slot, lane);
        low.resize(row.size(), std::numeric_limits<double>::infinity());
        high.resize(row.size(), -std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < row.size(); ++i) {
            low[i] = std::min(low[i], row[i]);
            high[i] = std::max(high[i], row[i]);
        }
        if (has_few) {
            rows.emplace(static_cast<const char*>(column.row(slot, lane)), column.row_bytes);
            has_few = rows.size() <= kFew;
        }
    }

    // Whether the row is new although few different ones exist, or else far outside of the range of the known ones.
    [[nodiscard]] bool is_odd(const DriveColumn& column, std::uint32_t slot, std::uint32_t lane) const {
        if (has_few) {
            return !rows.contains({static_cast<const char*>(column.row(slot, lane)), column.row_bytes});
        }
        const std::vector<double> row = values(column, slot, lane);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const double more = high[i] - low[i];
            if (row[i] < low[i] - more || row[i] > high[i] + more) {
                return true;
            }
        }
        return false;
    }

    static std::vector<double> values(const DriveColumn& column, std::uint32_t slot, std::uint32_t lane) {
        std::vector<double> out;
        with_element(column.view.dtype, [&](auto zero) {
            const auto* const row = static_cast<const decltype(zero)*>(column.row(slot, lane));
            out.assign(row, row + column.row_bytes / size_of(column.view.dtype));
        });
        return out;
    }
};

// Statistics about the rows after the ends of episodes.
struct Ends {
    std::size_t count = 0;
    std::size_t odd = 0;   // the new observation does not look like a first one
    std::size_t same = 0;  // the last observation equals the new one
};

Verdict judge(const Ends& ends, const Seen& firsts, const std::string& key) {
    if (ends.count == 0) {
        return skipped("no episode ended in " + std::to_string(kEpisodeSteps) + " steps with random actions");
    }
    // With few first observations, not all of them may have been seen.
    if (ends.odd * 2 > ends.count) {
        return failed("after the end of an episode, '" + key + "' in the next slot is not an initial one (" +
                      std::to_string(ends.odd) + " of " + counted(ends.count, "time") + "): the env must reset itself");
    }
    if (ends.count >= 4 && ends.same == ends.count && firsts.rows.size() > 1) {
        return failed(
            "after the end of an episode, 'next." + key +
            "' is always the first observation of the next episode, but must be the last one of the ended episode");
    }
    return passed();
}

}  // namespace

Verdict check_env_flags(const CheckSubject& subject) {
    return with_drives(subject, {{}}, [&](Drives& drives, const Workbench&) {
        std::vector<std::int64_t> lengths(drives[0]->lanes(), 0);
        const auto look = [&](EnvDrive& drive, bool has_stepped) -> std::string {
            const std::int64_t limit = drive.info().episode_limit;
            for (std::uint32_t lane = 0; lane < drive.lanes() && has_stepped; ++lane) {
                if (const std::string odd = odd_flag(drive, lane); !odd.empty()) {
                    return odd;
                }
                ++lengths[lane];
                if (limit > 0 && lengths[lane] >= limit && !drive.is_done(lane)) {
                    return at_lane(lane, drive) + "the episode continues past its announced limit of " +
                           steps_text(static_cast<std::uint64_t>(limit));
                }
                lengths[lane] = drive.is_done(lane) ? 0 : lengths[lane];
            }
            return "";
        };
        return look_on(subject, *drives[0], look);
    });
}

Verdict check_env_specs(const CheckSubject& subject) {
    return with_drives(subject, {{}}, [&](Drives& drives, const Workbench&) {
        const auto look = [](EnvDrive& drive, bool has_stepped) -> std::string {
            for (const Spec& spec : drive.info().specs.specs) {
                if (spec.role == Role::kAction || (is_outcome(spec.role) && !has_stepped)) {
                    continue;
                }
                const bool is_observation = spec.role == Role::kObservation;
                const DriveColumn& column = find(drive, spec.key);
                const DriveColumn* const last = is_observation ? &find(drive, next_key(spec.key)) : nullptr;
                const std::uint32_t slot = is_outcome(spec.role) ? drive.before() : drive.slot();
                for (std::uint32_t lane = 0; lane < drive.lanes(); ++lane) {
                    std::string odd = odd_row(spec, column, slot, lane);
                    if (odd.empty() && is_observation && has_stepped && drive.is_done(lane)) {
                        odd = odd_row(spec, *last, drive.before(), lane);
                    }
                    if (!odd.empty()) {
                        return at_lane(lane, drive) + odd;
                    }
                }
            }
            return "";
        };
        return look_on(subject, *drives[0], look);
    });
}

Verdict check_env_next_episode(const CheckSubject& subject) {
    return with_drives(subject, {{}}, [&](Drives& drives, const Workbench&) -> Verdict {
        EnvDrive& drive = *drives[0];
        const auto& specs = drive.info().specs.specs;
        const auto observation =
            std::find_if(specs.begin(), specs.end(), [](const Spec& spec) { return spec.role == Role::kObservation; });
        const DriveColumn& column = find(drive, observation->key);
        const DriveColumn& last = find(drive, next_key(observation->key));
        Seen firsts;
        for (std::size_t i = 0; i < kFirsts; i += drive.lanes()) {
            TENON_TRY(drive.reset(nullptr, i == 0 ? drive.seeds().data() : nullptr));
            for (std::uint32_t lane = 0; lane < drive.lanes(); ++lane) {
                firsts.add(column, drive.slot(), lane);
            }
        }
        Ends ends;
        const auto look = [&](EnvDrive&, bool has_stepped) -> std::string {
            for (std::uint32_t lane = 0; lane < drive.lanes(); ++lane) {
                if (has_stepped && drive.is_done(lane)) {
                    ++ends.count;
                    ends.odd += firsts.is_odd(column, drive.slot(), lane) ? 1 : 0;
                    const bool is_same = std::memcmp(column.row(drive.slot(), lane), last.row(drive.before(), lane),
                                                     column.row_bytes) == 0;
                    ends.same += is_same ? 1 : 0;
                }
            }
            return "";
        };
        const Verdict looked = look_on(subject, drive, look);
        return looked.outcome == CheckOutcome::kPass ? judge(ends, firsts, observation->key) : looked;
    });
}

}  // namespace tenon
