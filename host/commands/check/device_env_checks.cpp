// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/data/number_text.hpp"
#include "commands/check/chunked_state.hpp"
#include "commands/check/device_promises.hpp"
#include "commands/check/env_drives.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace of_device_envs {
namespace {

constexpr double kNear = 1e-5;
constexpr std::uint64_t kSteps = 100;  // kernels are slow on the CPU

// Resets and steps of each drive in all their forms: some lanes with and without seeds, ranges of lanes.
class Turns {
public:
    Status operator()(EnvDrive& drive, std::size_t which) {
        std::uint64_t& turn = turns_[which];
        std::vector<std::uint8_t> mask(drive.lanes(), 0);
        for (std::size_t lane = turn % 3; lane < mask.size(); lane += 3) {
            mask[lane] = 1;
        }
        if (++turn % 10 == 0) {
            TENON_TRY(drive.reset(mask.data(), turn % 20 == 0 ? drive.seeds().data() : nullptr));
        }
        const bool splits = drive.on_device() != nullptr && turn % 2 == 0;
        return splits ? step_in_ranges(drive, turn % 4 + 1) : drive.step();
    }

private:
    std::array<std::uint64_t, 2> turns_{};
};

// Runs only one drive through all turns.
Verdict drive_alone(const CheckSubject& subject, Drives& drives) {
    Turns turns;
    const auto step = [&](EnvDrive& drive, std::size_t which) { return turns(drive, which); };
    return side_by_side(subject, drives, step, no_difference, "", kSteps);
}

Verdict check_opens(const CheckSubject& subject) {
    if (const std::string odd = odd_devices(subject, "tenon.device_env/1"); !odd.empty()) {
        return failed(odd);
    }
    std::unique_ptr<Workbench> bench = TENON_TRY(Workbench::open(subject));
    Result<std::unique_ptr<EnvDrive>> drive = EnvDrive::make(*bench, {.device = kEmulated});
    if (!drive) {
        return unless_unavailable(drive.error());
    }
    TENON_TRY((*drive)->reset());
    TENON_TRY((*drive)->step());
    return passed();
}

Verdict check_enqueues(const CheckSubject& subject) {
    return with_drives(subject, {{.device = kEmulated}}, [&](Drives& drives, const Workbench&) {
        WatchedDevice& device = drives[0]->on_device()->device();
        device.hide();
        Verdict verdict = drive_alone(subject, drives);
        return device.forbidden().empty() ? std::move(verdict) : failed(device.forbidden());
    });
}

Verdict check_memory(const CheckSubject& subject) {
    return with_drives(subject, {{.device = kEmulated}}, [&](Drives& drives, const Workbench&) {
        Verdict verdict = drive_alone(subject, drives);
        const std::string& outside = drives[0]->on_device()->device().outside();
        return outside.empty() ? std::move(verdict) : failed(outside);
    });
}

Verdict check_written(const CheckSubject& subject) {
    return compared(subject, {{.fill = 0x11, .device = kEmulated}, {.fill = 0xEE, .device = kEmulated}}, step_all,
                    "its kernels leave a row unwritten", first_two, kSteps);
}

Verdict check_rows(const CheckSubject& subject) {
    Turns turns;
    const auto step = [&](EnvDrive& drive, std::size_t which) { return turns(drive, which); };
    return compared(subject, {{}, {.device = kEmulated}}, step, "the CPU and the emulated device differ", first_two,
                    kSteps);
}

// The fault after a choice that does not exist, as a sentence; empty: none. Both drives begin new episodes afterwards.
std::string try_choice(Drives& drives, const DriveColumn& on_host, const DriveColumn& on_device, double choice,
                       std::uint32_t lane) {
    EnvDrive& cpu = *drives[0];
    EnvDrive& device = *drives[1];
    for (auto& drive : drives) {
        drive->draw_actions();
    }
    fill_row(on_host, cpu.slot(), lane, choice);
    fill_row(on_device, device.slot(), lane, choice);
    const bool refused = cpu.step_raw() != TN_OK || cpu.lane_status()[lane] != 0;
    static_cast<void>(device.step_raw());
    drop_error();
    for (auto& drive : drives) {
        drive->accept();
    }
    const tn_fault& fault = device.on_device()->fault();
    if (refused && fault.status == TN_OK) {
        return "there is no fault, but the CPU refuses it";
    }
    return fault.status != TN_OK && fault.where != lane ? "the fault is of lane " + std::to_string(fault.where) : "";
}

Verdict check_choices(const CheckSubject& subject) {
    return with_drives(subject, {{}, {.device = kEmulated}}, [](Drives& drives, const Workbench&) -> Verdict {
        std::uint32_t lane = 0;
        bool tried = false;
        for (const Spec& spec : drives[0]->info().specs.specs) {
            if (spec.role != Role::kAction || spec.categories.empty()) {
                continue;
            }
            const auto column = [&](std::size_t drive) {
                return std::ranges::find(drives[drive]->columns(), spec.key, &DriveColumn::key);
            };
            for (const double choice : {-1.0, static_cast<double>(spec.categories[0]), 9e18}) {
                lane = (lane + 4) % drives[0]->lanes();
                tried = true;
                for (auto& drive : drives) {
                    TENON_TRY(drive->reset());
                }
                if (const std::string odd = try_choice(drives, *column(0), *column(1), choice, lane); !odd.empty()) {
                    return failed("after '" + spec.key + "' of lane " + std::to_string(lane) + " was " +
                                  number_text(choice) + ": " + odd);
                }
            }
        }
        return tried ? passed() : skipped("it has no action that is a choice");
    });
}

// Saves the lanes of one drive and loads them into another one, whose rows have been copied as well.
Status hand_over(EnvDrive& from, EnvDrive& to, ChunkedState& state) {
    TENON_TRY(pass_state(from.callee(), to.callee(), 0, from.lanes(), state));
    to.take_over(from);
    return {};
}

Verdict check_state(const CheckSubject& subject) {
    const std::vector<DriveShape> shapes = {{}, {.device = kEmulated}, {}, {.device = kEmulated}};
    return with_drives(subject, shapes, [&](Drives& drives, const Workbench&) -> Verdict {
        if (drives[0]->callee().state == nullptr || !is_deterministic(drives)) {
            return drives[0]->callee().state == nullptr ? skipped("it does not offer tenon.state/1")
                                                        : not_deterministic();
        }
        for (EnvDrive* const drive : {drives[0].get(), drives[1].get()}) {
            TENON_TRY(drive->reset());
            for (int i = 0; i < 60; ++i) {
                TENON_TRY(drive->step());
            }
        }
        ChunkedState on_host;
        ChunkedState on_device;
        TENON_TRY(hand_over(*drives[0], *drives[3], on_host));
        TENON_TRY(hand_over(*drives[1], *drives[2], on_device));
        if (on_host.data != on_device.data) {
            return failed("the CPU and the emulated device save different bytes: " +
                              std::to_string(on_host.data.size()) + " and " + std::to_string(on_device.data.size()),
                          "tenon/abi/state.h: save");
        }
        for (Pace pace(subject, kSteps); pace.more();) {
            for (EnvDrive* const drive : {drives[2].get(), drives[3].get()}) {
                TENON_TRY(drive->step());
            }
            if (const std::string found = drives[2]->difference(*drives[3]); !found.empty()) {
                return failed("a state that was saved on another device continues differently: " + found);
            }
        }
        return passed();
    });
}

Verdict check_freed(const CheckSubject& subject) {
    return with_drives(subject, {{.device = kEmulated}}, [](Drives& drives, const Workbench&) -> Verdict {
        TENON_TRY(drives[0]->reset());
        const std::uint64_t left = drives[0]->leave_device();
        return left == 0 ? passed()
                         : failed("after destroy " + std::to_string(left) + " bytes of the device are not freed");
    });
}

Verdict check_newer(const CheckSubject& subject) {
    const std::vector<DriveShape> shapes = {{.device = kEmulated}, {.is_newer = true, .device = kEmulated}};
    return compared(subject, shapes, step_all, "it behaves differently if structs are larger than it knows", first_two,
                    kSteps);
}

// The first number in the outputs of the latest step that differs by more than rounding. Functions such as sin are not
// the same on all devices.
std::string far_from(EnvDrive& one, EnvDrive& other) {
    for (std::size_t i = 0; i < one.columns().size(); ++i) {
        const DriveColumn& a = one.columns()[i];
        const DriveColumn& b = other.columns()[i];
        const bool is_next = a.kind == DriveColumn::Kind::kNext;
        for (std::uint32_t lane = 0; lane < one.lanes() && (is_next || a.kind == DriveColumn::Kind::kNow); ++lane) {
            const void* const row = a.row(is_next ? one.slot() : one.before(), lane);
            const void* const expected = b.row(is_next ? other.slot() : other.before(), lane);
            const bool near = with_element(a.view.dtype, [&](auto zero) {
                using T = decltype(zero);
                bool all = true;
                for (std::size_t k = 0; k < a.row_bytes / sizeof(T); ++k) {
                    const auto x = static_cast<double>(static_cast<const T*>(row)[k]);
                    const auto y = static_cast<double>(static_cast<const T*>(expected)[k]);
                    all = all && (x == y || std::abs(x - y) <= kNear * (1 + std::abs(y)));
                }
                return all;
            });
            if (!near) {
                return "after " + steps_text(one.steps()) + " '" + a.key + "' of lane " + std::to_string(lane);
            }
        }
    }
    return "";
}

// What the watched device of the drive has noticed so far.
Verdict seen_on(EnvDrive& drive) {
    const WatchedDevice& device = drive.on_device()->device();
    const std::string& wrong = device.outside().empty() ? device.forbidden() : device.outside();
    return wrong.empty() ? passed() : failed(wrong);
}

Verdict step_watched(EnvDrive& drive) {
    TENON_TRY(drive.reset());
    for (int i = 0; i < 3; ++i) {
        TENON_TRY(drive.step());
    }
    return seen_on(drive);
}

// Repeats a run on a GPU, which must give the same bytes. And each step from the CPU's state must give nearly the CPU's
// rows.
Verdict check_gpu(const CheckSubject& subject) {
    if (const Verdict verdict = find_gpu(); verdict.outcome != CheckOutcome::kPass) {
        return verdict;
    }
    std::unique_ptr<Workbench> bench = TENON_TRY(Workbench::open(subject));
    Drives drives;
    for (const DriveShape& shape : {DriveShape{.device = kGpu}, DriveShape{.device = kGpu}, DriveShape{}}) {
        Result<std::unique_ptr<EnvDrive>> drive = EnvDrive::make(*bench, shape);
        if (!drive) {
            return unless_unavailable(drive.error());
        }
        drives.push_back(std::move(*drive));
    }
    if (Verdict watched = step_watched(*drives[0]); watched.outcome != CheckOutcome::kPass) {
        return watched;
    }
    drives[1]->take_over(*drives[0]);
    drives[2]->take_over(*drives[0]);
    const bool compares = drives[0]->callee().state != nullptr && is_deterministic(drives);
    const auto step = [&](EnvDrive& drive, std::size_t /*which*/) -> Status {
        ChunkedState state;
        if (compares && drive.steps() > 0 && drive.on_device() != nullptr) {
            TENON_TRY(hand_over(*drives[2], drive, state));
        }
        return drive.step();
    };
    Verdict verdict = side_by_side(
        subject, drives, step,
        [&](Drives& all) {
            std::string found = is_deterministic(all) ? first_two(all) : "";
            found += found.empty() && compares && all[0]->steps() > 0 ? far_from(*all[0], *all[2]) : "";
            return found;
        },
        "the GPU differs from itself or from the CPU", kSteps);
    Verdict seen = seen_on(*drives[0]);
    return seen.outcome == CheckOutcome::kPass ? std::move(verdict) : std::move(seen);
}

constexpr std::array<Check, 10> kChecks = {{
    {"opens on the emulated device", "tenon/abi/device_env.h: open", check_opens, kGate},
    {"its enqueue functions only launch kernels", "tenon/abi/device.h: tn_device", check_enqueues},
    {"its kernels stay within their memory", "tenon/abi/device_env.h: tn_device_env_call", check_memory},
    {"its kernels write every row that they should", "tenon/abi/device_env.h: enqueue_step", check_written},
    {"its kernels give the rows of the CPU", "tenon/abi/device_env.h: enqueue_step", check_rows},
    {"its kernels report actions that do not exist", "tenon/abi/device_env.h: enqueue_step", check_choices},
    {"saved state can be loaded on another device", "tenon/abi/state.h: load", check_state},
    {"frees its memory on the device", "tenon/abi/plugin.h: destroy", check_freed},
    {"its device functions accept the larger structs of a newer host", "tenon/abi/types.h: struct_size", check_newer},
    {"gives the same rows on a GPU", "tenon/abi/device_env.h: enqueue_step", check_gpu},
}};

}  // namespace
}  // namespace of_device_envs

std::span<const Check> device_env_checks() {
    return of_device_envs::kChecks;
}

}  // namespace tenon
