// SPDX-License-Identifier: Apache-2.0
// One update: rows chosen by the sampler, gathered into a batch, put through the update program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/slab.hpp"
#include "exec/program.hpp"
#include "replay/gather.hpp"
#include "replay/sampler.hpp"
#include "train/actor.hpp"
#include "train/programs.hpp"

namespace tenon {

class Updater {
public:
    // Borrows the built program and the sampler, which must outlive it; the storage may be moved, not destroyed.
    static Result<Updater> make(const BuiltProgram& built, std::string_view reader, std::vector<StagePlan> stages,
                                std::uint64_t seed, std::uint32_t rows, Executor& executor, Learner& learner,
                                Sampler& sampler, const Storage& storage);

    Status update(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter);

    // Of the last update.
    [[nodiscard]] std::span<const double> losses() const { return losses_; }
    [[nodiscard]] std::span<const double> metrics() const { return metrics_; }
    [[nodiscard]] std::span<const double> gradient_norms() const { return gradient_norms_; }

private:
    Updater() = default;

    std::unique_ptr<Program> program_;
    Place place_;
    Sampler* sampler_ = nullptr;
    std::optional<GatherPlan> plan_;
    tn_key key_{};
    std::uint32_t rows_ = 0;
    std::vector<Slab> memory_;
    std::vector<void*> columns_;
    std::vector<const void*> inputs_;
    std::vector<void*> outputs_;
    std::vector<double> losses_;
    std::vector<double> metrics_;
    std::vector<double> gradient_norms_;
    std::vector<double> controls_;
};

}  // namespace tenon
