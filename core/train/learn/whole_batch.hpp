// SPDX-License-Identifier: Apache-2.0
// Runs a program on a whole collected batch, [time][lane]: an objective's prepare before its updates and conclude after
// them. Its outputs are stored with the batch's own columns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compute/exec/program.hpp"
#include "experience/replay/rollout.hpp"
#include "train/plan/programs.hpp"
#include "train/progress/run_numbers.hpp"

namespace tenon {

class WholeBatch {
public:
    // Batches are transitions of every lane that begin at slot 0, at most `most_steps`. The storage may be moved, but
    // not destroyed.
    static Result<WholeBatch> make(const BuiltProgram& built, std::string_view reader, std::uint64_t seed,
                                   std::uint32_t most_steps, Executor& executor, Learner& learner,
                                   const Storage& storage);

    // give_up: as in Call.
    Status run(std::uint32_t steps, const RunNumbers& numbers, std::uint64_t counter, GiveUp* give_up = nullptr);

    [[nodiscard]] std::span<const double> metrics() const { return metrics_; }  // of the last run

private:
    WholeBatch() = default;

    std::unique_ptr<Program> program_;
    Place place_;
    std::optional<Rollout> rollout_;
    Sizes sizes_;
    std::vector<const void*> inputs_;
    std::vector<void*> outputs_;  // null for a column that is not read
    std::vector<double> metrics_;
    std::vector<double> controls_;
};

}  // namespace tenon
