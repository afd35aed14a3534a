// SPDX-License-Identifier: Apache-2.0
// Invalid actions, and long runs.
#include <algorithm>
#include <limits>
#include <string>

#include "commands/check/child.hpp"
#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"
#include "commands/check/process_facts.hpp"
#include "plugins/plugin/call.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kWarm = 1'000;
constexpr std::uint64_t kLong = 10'000;
constexpr std::size_t kHeapAllowed = std::size_t{64} << 10U;
constexpr std::size_t kResidentAllowed = std::size_t{2} << 20U;

// Numbers that are invalid as an action of the spec, or at least unusual.
std::vector<double> impossible(const Spec& spec) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInf = std::numeric_limits<double>::infinity();
    if (is_float(spec.dtype)) {
        return {kNan, kInf, -kInf, 1e30, -1e30};
    }
    if (!spec.categories.empty()) {
        const auto choices = static_cast<double>(*std::max_element(spec.categories.begin(), spec.categories.end()));
        return {-1, choices, 1e6, -1e18, 9e18};
    }
    return {2, 77, -1};
}

// What is wrong with the env's response to an invalid action of `lane`; empty if nothing is.
std::string odd_answer(EnvDrive& drive, tn_status status, std::uint32_t lane) {
    const std::string text = take_error();
    if (status != TN_OK) {
        return name_of_status(status).empty() ? "step returns " + std::to_string(status) + ", which is no status"
               : text.empty()                 ? "step refuses the action without an error message"
                                              : "";
    }
    for (std::uint32_t other = 0; other < drive.lanes(); ++other) {
        const std::uint8_t given = drive.lane_status()[other];
        if (given == 0) {
            continue;
        }
        if (other != lane) {
            return "it reports an error in lane " + std::to_string(other) + ", whose action was valid";
        }
        if (name_of_status(given).empty() || text.empty()) {
            return name_of_status(given).empty() ? "lane_status is " + std::to_string(given) + ", which is no status"
                                                 : "it reports an error in a lane without an error message";
        }
    }
    return "";
}

struct Bad {
    const DriveColumn* column;
    double value;
    std::uint32_t lane;
};

// Makes one step in which one lane of the first drive gets the invalid action; all other lanes, and all lanes of the
// second drive, get valid ones. Then resets that lane in both. `told`: the fault, as the rest of a sentence.
Status try_action(Drives& drives, const Bad& bad, std::string& told) {
    EnvDrive& tried = *drives[0];
    EnvDrive& good = *drives[1];
    TENON_TRY(good.step());
    tried.draw_actions();
    fill_row(*bad.column, tried.slot(), bad.lane, bad.value);
    drop_error();
    const tn_status status = tried.step_raw();
    told = odd_answer(tried, status, bad.lane);
    if (!told.empty() || is_fatal(status)) {
        return {};
    }
    tried.accept();
    for (std::uint32_t lane = 0; lane < tried.lanes() && told.empty() && status == TN_OK; ++lane) {
        told = lane == bad.lane || !tried.info().deterministic ? "" : tried.difference(lane, good, lane);
    }
    std::vector<std::uint8_t> mask(tried.lanes(), status == TN_OK ? 0 : 1);
    mask[bad.lane] = 1;
    for (auto& drive : drives) {
        TENON_TRY(drive->reset(mask.data(), drive->seeds().data()));
    }
    if (told.empty() && tried.info().deterministic) {
        told = tried.difference(bad.lane, good, bad.lane);
        told += told.empty() ? "" : ", even after the lane was reset";
    }
    return {};
}

std::string shown(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

Verdict check_env_impossible_actions(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) -> Verdict {
        for (auto& drive : drives) {
            TENON_TRY(drive->reset());
        }
        std::uint32_t turn = 0;
        for (const Spec& spec : drives[0]->info().specs.specs) {
            const auto& columns = drives[0]->columns();
            const auto column = std::find_if(columns.begin(), columns.end(),
                                             [&](const DriveColumn& each) { return each.key == spec.key; });
            for (const double value : spec.role == Role::kAction ? impossible(spec) : std::vector<double>()) {
                std::string told;
                now_trying(" when '" + spec.key + "' was " + shown(value));
                const Bad bad{.column = &*column, .value = value, .lane = turn++ % drives[0]->lanes()};
                const Status status = try_action(drives, bad, told);
                if (!status || !told.empty()) {
                    return failed("after '" + spec.key + "' was " + shown(value) + ": " +
                                  (status ? told : status.error().sentence));
                }
            }
        }
        return passed();
    });
}

Verdict check_env_growth(const CheckSubject& subject) {
    return with_drives(subject, {{.lanes = 3}}, [&](Drives& drives, const Workbench&) -> Verdict {
        EnvDrive& drive = *drives[0];
        Status status = drive.reset();
        std::uint64_t steps = 0;
        for (Pace pace(subject, kWarm); status && pace.more();) {
            status = drive.step();
        }
        const ProcessFacts before = ProcessFacts::now();
        const std::size_t heap = heap_bytes();
        const std::size_t resident = resident_bytes();
        for (Pace pace(subject, kLong); status && pace.more(); ++steps) {
            status = drive.step();
        }
        if (!status) {
            return failed(status.error());
        }
        const std::size_t more_heap = heap_bytes() - std::min(heap_bytes(), heap);
        const std::size_t more_resident = resident_bytes() - std::min(resident_bytes(), resident);
        if (more_heap > kHeapAllowed || more_resident > kResidentAllowed) {
            return failed("after " + std::to_string(steps) + " more steps it holds " +
                          std::to_string(std::max(more_heap, more_resident) >> 10U) + " more KiB of memory");
        }
        const std::string changed = change(before, ProcessFacts::now());
        return changed.empty() ? passed() : failed("after " + std::to_string(steps) + " more steps " + changed);
    });
}

}  // namespace tenon
