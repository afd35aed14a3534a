// SPDX-License-Identifier: Apache-2.0
// Drives a sampler plugin: reads its plan once, then asks for the rows of one batch after the other. The host owns the
// arrays and verifies every index: each pair must be a transition that the storage holds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/data/slab.hpp"
#include "base/device/device.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/device_ring.hpp"
#include "experience/replay/device_sampler.hpp"
#include "experience/replay/gather.hpp"
#include "experience/replay/sampler_plan.hpp"
#include "experience/replay/sampler_reads.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

class Sampler {
public:
    // Batches have at most `max_rows` rows.
    static Result<Sampler> make(Callee<tn_sampler_api> callee, std::uint32_t max_rows);
    // The sampler runs on the device if the component has functions for one; null: the run has no device.
    static Result<Sampler> make(Instance instance, std::uint32_t max_rows, std::shared_ptr<Device> device = nullptr);
    [[nodiscard]] bool is_on_device() const { return on_device_ != nullptr; }
    // The frames are on the sampler's device: from now on the chosen rows stay on it.
    void stay(const DeviceRing& ring);

    [[nodiscard]] const SamplerPlan& plan() const { return plan_; }

    // Makes room for larger batches. The rows of the last batch are lost if there was less.
    Status reserve(std::uint32_t max_rows);
    [[nodiscard]] std::uint32_t max_rows() const { return max_rows_; }

    // Chooses the rows of one batch (for sequences, all their steps), depending only on the storage's content, key and
    // counter. `options` are the present values of the component's options, in its schema's order.
    Status sample(const Storage& storage, std::uint32_t rows, tn_key key, std::uint64_t counter,
                  std::span<const double> options = {});

    // Passes the priorities of the last sample's rows to the sampler. `writer`, at the manifest's line `place`, has
    // computed them; of sequences the first `burn_in` steps did not count.
    [[nodiscard]] bool takes_priorities() const;
    Status prioritise(std::span<const double> priorities, const std::string& writer, const Place& place,
                      std::uint32_t burn_in = 0);
    // The same if the rows stay on a device: the sampler takes the priorities from sampled().on_device->priorities. A
    // wrong priority is a fault of the kernel.
    Status prioritise_on_device(std::uint32_t rows, std::uint32_t burn_in = 0);
    // Whether it takes priorities from the device.
    [[nodiscard]] bool prioritises_on_device() const {
        return takes_priorities() && on_device_ != nullptr && on_device_->chosen() != nullptr;
    }

    // The sampler's state between batches, if it saves any; otherwise it starts without state in a resumed run.
    [[nodiscard]] const std::string& name() const { return callee_.name; }
    [[nodiscard]] bool saves_state() const { return callee_.state != nullptr; }
    // Whether it keeps state between calls: what it would save or, if it cannot save, everything.
    [[nodiscard]] bool remembers() const;
    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

    // The rows of the last batch.
    [[nodiscard]] SampledRows sampled() const {
        return {.slots = slots_.data(),
                .lanes = lanes_.data(),
                .columns = columns_.data(),
                .on_device = on_device_ != nullptr ? on_device_->chosen() : nullptr};
    }

private:
    Sampler() = default;

    Callee<tn_sampler_api> callee_;
    std::shared_ptr<Device> device_;  // outlives the instance, whose memory is on it
    std::optional<Instance> instance_;
    std::unique_ptr<DeviceSampler> on_device_;  // null: it chooses rows on the CPU
    SamplerPlan plan_;
    SamplerReads reads_;
    std::uint32_t max_rows_ = 0;
    std::vector<Slab> memory_;
    std::vector<std::uint32_t*> slots_;  // [array]
    std::vector<std::uint32_t*> lanes_;
    std::vector<void*> columns_;
};

}  // namespace tenon
