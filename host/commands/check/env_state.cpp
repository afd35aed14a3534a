// SPDX-License-Identifier: Apache-2.0
// Saved state of an env: complete, and nothing superfluous.
#include <algorithm>
#include <array>
#include <string>

#include "base/error/listed.hpp"
#include "commands/check/chunked_state.hpp"
#include "commands/check/env_checks.hpp"
#include "commands/check/env_drives.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kBefore = 60;
constexpr std::uint64_t kAfter = 200;

struct LaneRange {
    std::uint32_t first;
    std::uint32_t count;
};
constexpr std::size_t kRangeCount = 3;

// All lanes of a drive.
std::array<LaneRange, kRangeCount> ranges_of(const EnvDrive& drive) {
    return {{{.first = 0, .count = 4}, {.first = 4, .count = 1}, {.first = 5, .count = drive.lanes() - 5}}};
}

Status save(EnvDrive& drive, const LaneRange& range, ChunkedState& state) {
    const tn_writer writer = state.writer();
    const Callee<tn_env_api>& env = drive.callee();
    return env.call("save", env.state->save, range.first, range.count, &writer);
}

Status load(EnvDrive& drive, const LaneRange& range, ChunkedState& state) {
    const tn_reader reader = state.reader();
    const Callee<tn_env_api>& env = drive.callee();
    return env.call("load", env.state->load, range.first, range.count, &reader);
}

// Runs the first drive and saves each range of its lanes.
Result<std::array<ChunkedState, kRangeCount>> run_and_save(const CheckSubject& subject, EnvDrive& drive) {
    TENON_TRY(drive.reset());
    for (Pace pace(subject, kBefore); pace.more();) {
        TENON_TRY(drive.step());
    }
    std::array<ChunkedState, kRangeCount> out;
    for (std::size_t i = 0; i < kRangeCount; ++i) {
        TENON_TRY(save(drive, ranges_of(drive)[i], out[i]));
    }
    return out;
}

bool saves_nothing(const Drives& drives) {
    return drives[0]->callee().state == nullptr;
}

Verdict without_state() {
    return skipped("it does not offer tenon.state/1, so a resumed run begins new episodes");
}

}  // namespace

Verdict check_env_saved(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) -> Verdict {
        if (saves_nothing(drives) || !is_deterministic(drives)) {
            return saves_nothing(drives) ? without_state() : not_deterministic();
        }
        auto saved = run_and_save(subject, *drives[0]);
        if (!saved) {
            return failed(saved.error(), "tenon/abi/state.h: save");
        }
        drives[1]->take_over(*drives[0]);
        for (std::size_t i = 0; i < kRangeCount; ++i) {
            ChunkedState& state = (*saved)[i];
            TENON_TRY(load(*drives[1], ranges_of(*drives[1])[i], state));
            if (state.left() > 0) {
                return failed("load leaves " + std::to_string(state.left()) + " of the " +
                              counted(state.data.size(), "byte") + " that save wrote");
            }
        }
        for (Pace pace(subject, kAfter); pace.more();) {
            for (auto& drive : drives) {
                TENON_TRY(drive->step());
            }
            if (const std::string found = drives[0]->difference(*drives[1]); !found.empty()) {
                return failed("an instance that has loaded a state continues differently from the one that saved it: " +
                              found);
            }
        }
        return passed();
    });
}

Verdict check_env_saved_bytes(const CheckSubject& subject) {
    return with_drives(subject, {{.fresh = 0x11}, {.fresh = 0xEE}}, [&](Drives& drives, const Workbench&) -> Verdict {
        if (saves_nothing(drives) || !is_deterministic(drives)) {
            return saves_nothing(drives) ? without_state() : not_deterministic();
        }
        const auto one = TENON_TRY(run_and_save(subject, *drives[0]));
        const auto other = TENON_TRY(run_and_save(subject, *drives[1]));
        for (std::size_t i = 0; i < kRangeCount; ++i) {
            if (one[i].data == other[i].data) {
                continue;
            }
            return failed(
                "two instances with the same history save different bytes: " + std::to_string(one[i].data.size()) +
                " and " + std::to_string(other[i].data.size()) + "; some may be uninitialised, or addresses");
        }
        return passed();
    });
}

Verdict check_env_damaged(const CheckSubject& subject) {
    return with_drives(subject, {{}, {}}, [&](Drives& drives, const Workbench&) -> Verdict {
        if (saves_nothing(drives)) {
            return without_state();
        }
        const auto saved = run_and_save(subject, *drives[0]);
        if (!saved) {
            return failed(saved.error(), "tenon/abi/state.h: save");
        }
        const std::size_t whole = (*saved)[0].data.size();
        for (const std::size_t size :
             {std::size_t{0}, std::size_t{1}, whole / 2, whole - std::min<std::size_t>(whole, 1)}) {
            ChunkedState cut;
            cut.data.assign((*saved)[0].data.begin(), (*saved)[0].data.begin() + static_cast<std::ptrdiff_t>(size));
            if (size < whole && load(*drives[1], ranges_of(*drives[1])[0], cut)) {
                return failed("load accepts " + std::to_string(size) + " of " + counted(whole, "byte") +
                              " as the whole state");
            }
        }
        ChunkedState broken = (*saved)[0];
        broken.fails_at = whole / 2;
        if (whole > 0 && load(*drives[1], ranges_of(*drives[1])[0], broken)) {
            return failed("load does not report a failed read");
        }
        drop_error();
        return passed();
    });
}

}  // namespace tenon
