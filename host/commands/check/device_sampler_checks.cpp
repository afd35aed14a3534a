// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "base/data/number_text.hpp"
#include "commands/check/chunked_state.hpp"
#include "commands/check/device_promises.hpp"
#include "commands/check/sampler_batches.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace of_device_samplers {
namespace {

using of_batches::differing;
using of_batches::Drives;
using of_batches::each_batch;
using of_batches::with_samplers;

constexpr std::uint32_t kRows = 64;

bool samples_here(const CheckSubject& subject) {
    const std::vector<std::string>& devices = subject.component->devices;
    return std::ranges::find(devices, "cpu") != devices.end();
}

Verdict without_cpu() {
    return skipped("it chooses rows on devices only, so there are none of the CPU to compare them with");
}

// Passes priorities for the rows of the last batch, if the sampler uses them. Returns the problem's sentence, or an
// empty one.
std::string prioritise(SamplerDrive& drive) {
    if (!drive.takes_priorities()) {
        return "";
    }
    std::vector<double> priorities(drive.rows());
    for (std::uint32_t row = 0; row < drive.rows(); ++row) {
        priorities[row] = 0.1 + 0.3 * (drive.slot(0, row) % 5);
    }
    const Status status = drive.prioritise(priorities);
    return status ? "" : status.error().sentence;
}

// Takes batches with all drives, and passes priorities after each; `differ` compares the batches before that.
template <class Differ>
Verdict run(Drives& drives, const Differ& differ) {
    return each_batch(drives, [&](Drives& all) {
        std::string found = differ(all);
        for (auto& drive : all) {
            found = found.empty() ? prioritise(*drive) : found;
        }
        return found;
    });
}

std::string nothing(Drives& /*drives*/) {
    return "";
}

Verdict check_opens(const CheckSubject& subject) {
    if (const std::string odd = odd_devices(subject, "tenon.device_sampler/1"); !odd.empty()) {
        return failed(odd);
    }
    return with_samplers(subject, {{.device = kEmulated}}, [](Drives& drives) -> Verdict {
        drives[0]->append(SamplerDrive::kSlots);
        const Result<bool> sampled = drives[0]->sample(kRows, 0);
        return sampled ? passed() : unless_unavailable(sampled.error());
    });
}

Verdict check_held(const CheckSubject& subject) {
    return with_samplers(subject, {{.fill = 0xFF, .device = kEmulated}}, [](Drives& drives) {
        return each_batch(drives, [](Drives& all) { return all[0]->odd_batch(); });
    });
}

Verdict check_rows(const CheckSubject& subject) {
    if (!samples_here(subject)) {
        return without_cpu();
    }
    return with_samplers(subject, {{}, {.device = kEmulated}}, [](Drives& drives) {
        return run(drives, differing("the CPU and the emulated device choose differently"));
    });
}

Verdict check_written(const CheckSubject& subject) {
    return with_samplers(subject, {{.fill = 0x00, .device = kEmulated}, {.fill = 0x01, .device = kEmulated}},
                         [](Drives& drives) { return run(drives, differing("its kernels leave a row unwritten")); });
}

Verdict check_enqueues(const CheckSubject& subject) {
    return with_samplers(subject, {{.device = kEmulated}}, [](Drives& drives) {
        WatchedDevice& device = drives[0]->on_device()->device();
        device.hide();
        Verdict verdict = run(drives, nothing);
        return device.forbidden().empty() ? std::move(verdict) : failed(device.forbidden());
    });
}

Verdict check_memory(const CheckSubject& subject) {
    return with_samplers(subject, {{.device = kEmulated}}, [](Drives& drives) {
        Verdict verdict = run(drives, nothing);
        const std::string& outside = drives[0]->on_device()->device().outside();
        return outside.empty() ? std::move(verdict) : failed(outside);
    });
}

Verdict check_freed(const CheckSubject& subject) {
    return with_samplers(subject, {{.device = kEmulated}}, [](Drives& drives) -> Verdict {
        if (Verdict verdict = run(drives, nothing); verdict.outcome != CheckOutcome::kPass) {
            return verdict;
        }
        const std::uint64_t left = drives[0]->leave_device();
        return left == 0 ? passed()
                         : failed("after destroy " + std::to_string(left) + " bytes of the device are not freed");
    });
}

Verdict check_bad_priorities(const CheckSubject& subject) {
    return with_samplers(subject, {{.device = kEmulated}}, [](Drives& drives) -> Verdict {
        SamplerDrive& drive = *drives[0];
        if (!drive.takes_priorities()) {
            return skipped("it takes no priorities");
        }
        drive.append(SamplerDrive::kSlots);
        std::uint64_t counter = 0;
        for (const double bad : {std::nan(""), -1.0, std::numeric_limits<double>::infinity()}) {
            TENON_TRY(drive.sample(kRows, counter++));
            const auto at = static_cast<std::uint32_t>(5 * counter);
            std::vector<double> priorities(drive.rows(), 0.5);
            priorities[at] = bad;
            const bool accepted = static_cast<bool>(drive.prioritise(priorities));
            drop_error();
            const tn_fault& fault = drive.on_device()->fault();
            if (accepted || fault.status == TN_OK || fault.where != at) {
                return failed("the priority of row " + std::to_string(at) + " was " + number_text(bad) + ", but " +
                              (fault.status == TN_OK ? "there is no fault"
                                                     : "the fault is of row " + std::to_string(fault.where)));
            }
        }
        return passed();
    });
}

Verdict check_state(const CheckSubject& subject) {
    if (!samples_here(subject)) {
        return without_cpu();
    }
    const std::vector<SamplerShape> shapes = {{}, {.device = kEmulated}, {}, {.device = kEmulated}};
    return with_samplers(subject, shapes, [](Drives& drives) -> Verdict {
        if (drives[0]->callee().state == nullptr) {
            return skipped("it does not offer tenon.state/1, so a resumed run begins with a new one");
        }
        Drives first;
        for (int i = 0; i < 2; ++i) {
            first.push_back(std::move(drives.front()));
            drives.erase(drives.begin());
        }
        if (Verdict verdict = run(first, nothing); verdict.outcome != CheckOutcome::kPass) {
            return verdict;
        }
        ChunkedState on_host;
        ChunkedState on_device;
        for (const auto& [from, to, state] : {std::tuple{0, 1, &on_host}, std::tuple{1, 0, &on_device}}) {
            drives[static_cast<std::size_t>(to)]->append(first[0]->steps());
            TENON_TRY(pass_state(first[static_cast<std::size_t>(from)]->callee(),
                                 drives[static_cast<std::size_t>(to)]->callee(), 0, 0, *state));
        }
        if (on_host.data != on_device.data) {
            return failed("it saves " + std::to_string(on_host.data.size()) + " bytes on the CPU and " +
                              std::to_string(on_device.data.size()) + " other ones on the emulated device",
                          "tenon/abi/state.h: save");
        }
        return run(drives, differing("a state that was saved on another device continues differently"));
    });
}

Verdict check_newer(const CheckSubject& subject) {
    return with_samplers(subject, {{.device = kEmulated}, {.is_newer = true, .device = kEmulated}},
                         [](Drives& drives) { return run(drives, differing("structs of a newer host")); });
}

Verdict check_gpu(const CheckSubject& subject) {
    std::vector<SamplerShape> shapes = {{.device = kGpu}, {.device = kGpu}, {}};
    shapes.resize(samples_here(subject) ? 3 : 2);
    if (const Verdict verdict = find_gpu(); verdict.outcome != CheckOutcome::kPass) {
        return verdict;
    }
    return with_samplers(subject, shapes, [](Drives& drives) -> Verdict {
        drives[0]->append(1);
        drives[1]->append(1);
        if (const Result<bool> opened = drives[0]->sample(1, 0); !opened) {
            return unless_unavailable(opened.error());
        }
        Verdict verdict = run(drives, [](Drives& all) {
            std::string found = all[0]->difference(*all[1]);
            found = found.empty() && all.size() > 2 ? all[0]->difference(*all[2]) : found;
            return found.empty() ? found : "rows differ: " + found;
        });
        const WatchedDevice& device = drives[0]->on_device()->device();
        const std::string& wrong = device.outside().empty() ? device.forbidden() : device.outside();
        return wrong.empty() ? std::move(verdict) : failed(wrong);
    });
}

constexpr std::array<Check, 11> kChecks = {{
    {"opens on the emulated device", "tenon/abi/device_sampler.h: open", check_opens, kGate},
    {"its kernels choose transitions that the buffer holds", "tenon/abi/device_sampler.h: enqueue_sample", check_held,
     kGate},
    {"its enqueue functions only launch kernels", "tenon/abi/device.h: tn_device", check_enqueues},
    {"its kernels stay within their memory", "tenon/abi/device_sampler.h: tn_device_sample_call", check_memory},
    {"its kernels write every row that they should", "tenon/abi/device_sampler.h: enqueue_sample", check_written},
    {"its kernels choose the rows of the CPU", "tenon/abi/device_sampler.h: enqueue_sample", check_rows},
    {"its kernels report priorities that are none", "tenon/abi/device_sampler.h: tn_device_priority_call",
     check_bad_priorities},
    {"saved state can be loaded on another device", "tenon/abi/device_sampler.h: tn_device_sampler_api", check_state},
    {"frees its memory on the device", "tenon/abi/plugin.h: destroy", check_freed},
    {"its device functions accept the larger structs of a newer host", "tenon/abi/types.h: struct_size", check_newer},
    {"chooses the same rows on a GPU", "tenon/abi/device_sampler.h: enqueue_sample", check_gpu},
}};

}  // namespace
}  // namespace of_device_samplers

std::span<const Check> device_sampler_checks() {
    return of_device_samplers::kChecks;
}

}  // namespace tenon
