// SPDX-License-Identifier: Apache-2.0
// Drives a sampler plugin: its plan once, then rows for one batch after the other. The host owns the arrays and
// believes no index: every pair must be of a transition that the storage holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/slab.hpp"
#include "replay/callee.hpp"
#include "replay/gather.hpp"
#include "replay/sampler_plan.hpp"
#include "replay/storage.hpp"

namespace tenon {

class Sampler {
public:
    // Batches have at most `max_rows` rows.
    static Result<Sampler> make(Callee<tn_sampler_api> callee, std::uint32_t max_rows);
    static Result<Sampler> make(Instance instance, std::uint32_t max_rows);

    [[nodiscard]] const SamplerPlan& plan() const { return plan_; }

    // Chooses the rows of one batch, of sequences all their steps, a function of what the storage holds, key and
    // counter. `options` are the component's, in its schema's order, as they are now.
    Status sample(const Storage& storage, std::uint32_t rows, tn_key key, std::uint64_t counter,
                  std::span<const double> options = {});

    // Hands back the priorities of the last sample's rows. `writer`, of the manifest's line at `place`, has given them.
    [[nodiscard]] bool takes_priorities() const;
    Status prioritise(std::span<const double> priorities, const std::string& writer, const Place& place);

    // What the sampler keeps between batches, if it says so; without state it begins anew in a resumed run.
    [[nodiscard]] const std::string& name() const { return callee_.name; }
    [[nodiscard]] bool saves_state() const { return callee_.state != nullptr; }
    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

    // The rows of the last batch.
    [[nodiscard]] SampledRows sampled() const {
        return {.slots = slots_.data(), .lanes = lanes_.data(), .columns = columns_.data()};
    }

private:
    Sampler() = default;

    Callee<tn_sampler_api> callee_;
    std::optional<Instance> instance_;
    SamplerPlan plan_;
    std::uint32_t max_rows_ = 0;
    std::vector<Slab> memory_;
    std::vector<std::uint32_t*> slots_;  // [array]
    std::vector<std::uint32_t*> lanes_;
    std::vector<void*> columns_;
};

}  // namespace tenon
