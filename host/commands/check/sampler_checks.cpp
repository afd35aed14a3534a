// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/error/listed.hpp"
#include "commands/check/chunked_state.hpp"
#include "commands/check/process_facts.hpp"
#include "commands/check/sampler_batches.hpp"

namespace tenon {
namespace of_samplers {
namespace {

using of_batches::differing;
using of_batches::Drives;
using of_batches::each_batch;
using of_batches::with_samplers;

constexpr std::uint32_t kRows = 64;
constexpr std::uint64_t kLong = 4'000;
constexpr const char* kSame = "two instances with the same key, counter and buffer differ";

std::string odd_first(Drives& drives) {
    return drives[0]->odd_batch();
}

Verdict check_plan(const CheckSubject& subject) {
    return with_samplers(subject, {{}, {}}, [](Drives& drives) {
        const SamplerPlan& one = drives[0]->plan();
        const SamplerPlan& other = drives[1]->plan();
        const bool is_same = one.array_count == other.array_count && one.time == other.time &&
                             one.lines.size() == other.lines.size() && one.columns.size() == other.columns.size();
        return is_same ? passed() : failed("two instances with the same options plan differently");
    });
}

Verdict check_held(const CheckSubject& subject) {
    return with_samplers(subject, {{.fill = 0xFF}}, [](Drives& drives) { return each_batch(drives, odd_first); });
}

Verdict check_same_key(const CheckSubject& subject) {
    return with_samplers(subject, {{.fresh = 0x11}, {.fresh = 0xEE}},
                         [](Drives& drives) { return each_batch(drives, differing(kSame)); });
}

Verdict check_written(const CheckSubject& subject) {
    return with_samplers(subject, {{.fill = 0x00}, {.fill = 0x01}}, [](Drives& drives) {
        return each_batch(drives, differing("a row that should have been written keeps its old value"));
    });
}

Verdict check_newer(const CheckSubject& subject) {
    return with_samplers(subject, {{}, {.is_newer = true}},
                         [](Drives& drives) { return each_batch(drives, differing(kSame)); });
}

// How far a chi-square value with this many degrees of freedom exceeds its expected value, in standard deviations
// (Wilson and Hilferty).
double excess(double chi_square, double freedom) {
    const double spread = 2 / (9 * freedom);
    return (std::cbrt(chi_square / freedom) - (1 - spread)) / std::sqrt(spread);
}

// Rows of equal weight must be drawn equally often: importance weights fall with the probability of a row.
Verdict check_frequencies(const CheckSubject& subject) {
    return with_samplers(subject, {{}}, [](Drives& drives) -> Verdict {
        SamplerDrive& drive = *drives[0];
        if (drive.plan().time > 0) {
            return skipped("its rows are sequences, and a buffer has fewer of them near its ends");
        }
        drive.append(40);
        std::vector<double> counts(std::size_t{SamplerDrive::kSlots} * SamplerDrive::kLanes, 0);
        constexpr std::uint64_t kBatches = 200;
        double least = std::numeric_limits<double>::infinity();
        double most = 0;
        for (std::uint64_t counter = 0; counter < kBatches; ++counter) {
            const Result<bool> sampled = drive.sample(kRows, counter);
            if (!sampled || !*sampled) {
                return failed(sampled ? "it reports too few transitions though the buffer is full"
                                      : sampled.error().sentence);
            }
            for (std::uint32_t row = 0; row < drive.rows(); ++row) {
                ++counts[std::size_t{drive.slot(0, row)} * SamplerDrive::kLanes + drive.lane(0, row)];
                for (std::size_t i = 0; i < drive.plan().columns.size(); ++i) {
                    if (drive.plan().columns[i].key == "weight") {
                        least = std::min(least, drive.value(i, row));
                        most = std::max(most, drive.value(i, row));
                    }
                }
            }
        }
        const auto held = static_cast<double>(drive.storage().view().total);
        const double expected = static_cast<double>(kBatches * kRows) / held;
        double chi_square = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const bool is_held = drive.storage().ring().holds(static_cast<std::uint32_t>(i / SamplerDrive::kLanes),
                                                              static_cast<std::uint32_t>(i % SamplerDrive::kLanes));
            chi_square += is_held ? (counts[i] - expected) * (counts[i] - expected) / expected : 0;
        }
        const double above = excess(chi_square, held - 1);
        const std::string told = "chi-square of " + std::to_string(static_cast<int>(held)) + " transitions is " +
                                 std::to_string(chi_square) + ", " + std::to_string(above) +
                                 " standard deviations above its mean";
        if (most == 0) {
            return above < 5 ? passed() : skipped("it prefers some transitions and gives no weights; " + told);
        }
        return least < most || above < 5
                   ? passed()
                   : failed("all rows have the same weight but are not drawn equally often: " + told);
    });
}

// Priorities for rows of which some have been overwritten, and one that is far above all others.
Verdict check_priorities(const CheckSubject& subject) {
    return with_samplers(subject, {{}}, [](Drives& drives) -> Verdict {
        SamplerDrive& drive = *drives[0];
        if (!drive.takes_priorities()) {
            return skipped("it takes no priorities");
        }
        drive.append(40);
        std::vector<double> counts(std::size_t{SamplerDrive::kSlots} * SamplerDrive::kLanes, 0);
        std::size_t dear = 0;
        for (std::uint64_t counter = 0; counter < 300; ++counter) {
            const Result<bool> sampled = drive.sample(kRows, counter);
            if (!sampled || !*sampled) {
                return failed(sampled ? "it reports too few transitions though the buffer is full"
                                      : sampled.error().sentence);
            }
            if (const std::string odd = drive.odd_batch(); !odd.empty()) {
                return failed("after priorities were given: " + odd);
            }
            dear = counter == 100 ? std::size_t{drive.slot(0, 0)} * SamplerDrive::kLanes + drive.lane(0, 0) : dear;
            std::vector<double> priorities(drive.rows(), 1e-3);
            for (std::uint32_t row = 0; row < drive.rows(); ++row) {
                const std::size_t at = std::size_t{drive.slot(0, row)} * SamplerDrive::kLanes + drive.lane(0, row);
                counts[at] += counter > 150 ? 1 : 0;
                priorities[row] = counter >= 100 && at == dear ? 10 : counter < 100 ? 0.5 * (row % 3) : 1e-3;
            }
            if (counter < 60) {
                drive.append(1);  // over transitions of this batch
            }
            TENON_TRY(drive.prioritise(priorities));
        }
        const double all = static_cast<double>(149 * kRows) / static_cast<double>(drive.storage().view().total);
        return counts[dear] > 1.5 * all
                   ? passed()
                   : failed("a transition with ten thousand times the priority of all others is drawn " +
                            counted(static_cast<int>(counts[dear]), "time") + ", others " +
                            counted(static_cast<int>(all), "time"));
    });
}

Verdict check_saved(const CheckSubject& subject) {
    return with_samplers(subject, {{}, {}}, [](Drives& drives) -> Verdict {
        const Callee<tn_sampler_api>& from = drives[0]->callee();
        const Callee<tn_sampler_api>& to = drives[1]->callee();
        if (from.state == nullptr) {
            return skipped("it does not offer tenon.state/1, so a resumed run begins with a new one");
        }
        for (auto& drive : drives) {
            drive->append(40);
        }
        for (std::uint64_t counter = 0; counter < 20; ++counter) {
            const Result<bool> sampled = drives[0]->sample(kRows, counter);
            if (!sampled) {
                return failed(sampled.error(), "tenon/abi/sampler.h: sample");
            }
            if (drives[0]->takes_priorities()) {
                std::vector<double> priorities(drives[0]->rows());
                for (std::size_t row = 0; row < priorities.size(); ++row) {
                    priorities[row] = 0.1 * static_cast<double>(row % 9);
                }
                if (Status status = drives[0]->prioritise(priorities); !status) {
                    return failed(status.error(), "tenon/abi/sampler.h: prioritise");
                }
            }
        }
        ChunkedState state;
        TENON_TRY(pass_state(from, to, 0, 0, state));
        return each_batch(
            drives, differing("an instance that has loaded a state samples differently from the one that saved it"));
    });
}

Verdict check_growth(const CheckSubject& subject) {
    return with_samplers(subject, {{}}, [](Drives& drives) {
        SamplerDrive& drive = *drives[0];
        drive.append(40);
        return check_heap(kLong, "batches", [&](std::uint64_t counter) -> Status {
            drive.append(1);
            TENON_TRY(drive.sample(kRows, counter));
            return {};
        });
    });
}

constexpr std::array<Check, 9> kChecks = {{
    {"plans batches the same way each time", "tenon/abi/sampler.h: plan", check_plan, kGate},
    {"every row is a transition that the buffer holds", "tenon/abi/sampler.h: sample", check_held, kGate},
    {"the same key and counter give the same rows", "tenon/abi/sampler.h: sample", check_same_key, kGateOfComparisons},
    {"writes every row that it should", "tenon/abi/sampler.h: sample", check_written, kCompares},
    {"rows of equal weight are drawn equally often", "tenon/abi/sampler.h: sample", check_frequencies},
    {"rows with a higher priority are drawn more often", "tenon/abi/sampler.h: prioritise", check_priorities},
    {"continues after loading as if it had never stopped", "tenon/abi/state.h: load", check_saved, kCompares},
    {"does not grow while it runs", "tenon/abi/sampler.h: sample", check_growth},
    {"accepts the larger structs of a newer host", "tenon/abi/types.h: struct_size", check_newer, kCompares},
}};

}  // namespace
}  // namespace of_samplers

std::span<const Check> sampler_checks() {
    return of_samplers::kChecks;
}

}  // namespace tenon
