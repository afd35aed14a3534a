// SPDX-License-Identifier: Apache-2.0
// A sampler on a device, as the host calls it (device_sampler.hpp): copies for each minibatch, or rows that stay.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/device/device.hpp"
#include "experience/replay/device_block.hpp"
#include "experience/replay/device_sampler.hpp"
#include "tenon/abi/device_sampler.h"
#include "tenon/abi/state.h"

namespace tenon {

// The sentence for a fault of the kernel `what`.
std::string sampling_fault(std::string_view what, const tn_fault& found);

class HostedSampler final : public DeviceSampler {
public:
    // As DeviceParts::make_sampler.
    static Result<std::unique_ptr<DeviceSampler>> make(const Callee<tn_sampler_api>& sampler,
                                                       const tn_device_sampler_api* on_device,
                                                       std::shared_ptr<Device> device);
    ~HostedSampler() override;

    void stay(const std::uint8_t* terminated, const std::uint8_t* truncated, tn_fault* fault) override;
    [[nodiscard]] const SampledOnDevice* chosen() const override {
        return stays_.fault != nullptr ? &sampled_ : nullptr;
    }
    [[nodiscard]] Callee<tn_sampler_api> callee() override;

private:
    friend struct HostTables;
    HostedSampler(const Callee<tn_sampler_api>& sampler, const tn_device_sampler_api* on_device,
                  std::shared_ptr<Device> device);

    tn_status open(const tn_buffer_view& view, std::uint32_t rows);
    tn_status copy_ends(const tn_buffer_view& view);
    tn_status copy_rows(DeviceBlock& block, const std::uint8_t* from, std::uint32_t newest, std::uint64_t rows);
    tn_status sample(const tn_sample_call& call);
    tn_status send_priorities(const tn_priority_call& call);
    tn_status prioritise(const tn_priority_call& call);
    tn_status save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) const;
    tn_status load(std::uint32_t first, std::uint32_t count, const tn_reader& reader);
    tn_status fault(const char* what);
    [[nodiscard]] tn_fault* device_fault() const;

    Callee<tn_sampler_api> sampler_;
    const tn_device_sampler_api* on_device_;
    std::shared_ptr<Device> device_;
    tn_sampler_api table_{};
    tn_sampler_info info_{};
    std::vector<std::uint32_t> sizes_;  // of an element of each column

    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
    std::uint32_t rows_ = 0;
    std::uint64_t seen_ = 0;
    DeviceBlock given_;  // numbers, first, count, options
    DeviceBlock terminated_;
    DeviceBlock truncated_;
    DeviceBlock chosen_;  // fault, slots, lanes, columns
    DeviceBlock priorities_;
    std::vector<void*> columns_;
    struct Staying {
        const std::uint8_t* terminated = nullptr;
        const std::uint8_t* truncated = nullptr;
        tn_fault* fault = nullptr;  // null: rows are copied to the host
    };
    Staying stays_;
    SampledOnDevice sampled_;
};

}  // namespace tenon
