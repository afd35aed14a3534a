// SPDX-License-Identifier: Apache-2.0
// Several drives of one env, and how long to run them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/check/env_drive.hpp"

namespace tenon {

using Drives = std::vector<std::unique_ptr<EnvDrive>>;

// The given number of steps, but at most a part of the check's time limit, so that slow envs are checked for fewer
// steps.
class Pace {
public:
    Pace(const CheckSubject& subject, std::uint64_t steps)
        : left_(steps),
          end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::min(2.0, subject.seconds / 4)))) {}

    // Whether to take another step.
    bool more() {
        if (left_ == 0 || Clock::now() >= end_) {
            return false;
        }
        --left_;
        return true;
    }

private:
    using Clock = std::chrono::steady_clock;
    std::uint64_t left_;
    Clock::time_point end_;
};

// Creates a drive for each shape and calls body(drives, workbench). `least`: how many of the shapes must have one. The
// others get one only while there is time, because some envs take long to make.
template <class Body>
Verdict with_drives(const CheckSubject& subject, const std::vector<DriveShape>& shapes, Body&& body,
                    std::size_t least = std::numeric_limits<std::size_t>::max()) {
    std::unique_ptr<Workbench> bench = TENON_TRY(Workbench::open(subject));
    Drives drives;
    for (Pace pace(subject, shapes.size()); drives.size() < shapes.size();) {
        const bool has_time = pace.more();
        if (!has_time && drives.size() >= least) {
            break;
        }
        std::unique_ptr<EnvDrive> drive = TENON_TRY(EnvDrive::make(*bench, shapes[drives.size()]));
        drives.push_back(std::move(drive));
    }
    return std::forward<Body>(body)(drives, *bench);
}

inline constexpr std::uint64_t kPairSteps = 300;

inline bool is_deterministic(const Drives& drives) {
    return drives[0]->info().deterministic;
}

inline Verdict not_deterministic() {
    return skipped("it announces TN_DETERMINISM_NONE");
}

inline Status step_all(EnvDrive& drive, std::size_t /*which*/) {
    return drive.step();
}

inline std::string first_two(Drives& drives) {
    return drives[0]->difference(*drives[1]);
}

inline std::string no_difference(Drives& /*drives*/) {
    return "";
}

// Resets all drives, then lets each make a step, `step(drive, its number)`, and calls `differ`, and so on; a failure's
// sentence begins with `beginning`.
template <class Step, class Differ>
Verdict side_by_side(const CheckSubject& subject, Drives& drives, const Step& step, const Differ& differ,
                     const std::string& beginning, std::uint64_t steps = kPairSteps) {
    for (auto& drive : drives) {
        TENON_TRY(drive->reset());
    }
    for (Pace pace(subject, steps); true;) {
        if (const std::string found = differ(drives); !found.empty()) {
            return failed(beginning + ": " + found);
        }
        if (!pace.more()) {
            return passed();
        }
        for (std::size_t i = 0; i < drives.size(); ++i) {
            TENON_TRY(step(*drives[i], i));
        }
    }
}

// Drives of these shapes side by side; their env must be deterministic.
template <class Step, class Differ = std::string (*)(Drives&)>
Verdict compared(const CheckSubject& subject, const std::vector<DriveShape>& shapes, const Step& step,
                 const std::string& beginning, const Differ& differ = first_two, std::uint64_t steps = kPairSteps) {
    return with_drives(subject, shapes, [&](Drives& drives, const Workbench&) {
        return is_deterministic(drives) ? side_by_side(subject, drives, step, differ, beginning, steps)
                                        : not_deterministic();
    });
}

// Steps in ranges of uneven sizes, the last range first.
inline Status step_in_ranges(EnvDrive& drive, std::uint32_t size) {
    drive.draw_actions();
    for (std::uint32_t end = drive.lanes(); end > 0;) {
        const std::uint32_t count = std::min(size, end);
        TENON_TRY(drive.step_range(end - count, count));
        end -= count;
        size = size % 4 + 1;
    }
    return drive.move_on();
}

}  // namespace tenon
