// SPDX-License-Identifier: Apache-2.0
// A sampler's kernels on a watched device (abi/device_sampler.h), behind the functions of a sampler on the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "commands/check/watched_device.hpp"
#include "experience/replay/callee.hpp"
#include "tenon/abi/device_sampler.h"
#include "tenon/abi/sampler.h"

namespace tenon {

class SamplerOnDevice {
public:
    // Batches have at most `rows` rows, steps of sequences included. The instance must end before this does.
    static Result<std::unique_ptr<SamplerOnDevice>> make(const Callee<tn_sampler_api>& sampler,
                                                         const tn_device_sampler_api* on_device,
                                                         std::string_view device, std::uint32_t rows, bool is_newer);
    SamplerOnDevice(const SamplerOnDevice&) = delete;
    SamplerOnDevice& operator=(const SamplerOnDevice&) = delete;

    // The same component, with functions that check calls as those of a sampler on the CPU, once it is open.
    [[nodiscard]] Callee<tn_sampler_api> callee();
    // Loads its kernels, unless it has.
    Status open(const tn_buffer_view& view, std::uint64_t options);
    [[nodiscard]] WatchedDevice& device() { return *device_; }
    // The fault that kernels of the last call have reported.
    [[nodiscard]] const tn_fault& fault() const { return fault_; }

private:
    friend struct HostTables;
    struct Output {
        DeviceArray array;
        std::uint64_t used = 0;  // bytes that belong to the batch
    };

    SamplerOnDevice(const Callee<tn_sampler_api>& sampler, const tn_device_sampler_api* on_device, std::uint32_t rows,
                    bool is_newer);

    Status make_arrays(const tn_buffer_view& view, std::uint64_t options);
    Status give(const tn_sample_call& call);
    tn_status sample(const tn_sample_call& call);
    Status enqueue_sample(const tn_sample_call& call, tn_status& done);
    Status fetch(Output& output);
    tn_status prioritise(const tn_priority_call& call);
    Status enqueue_prioritise(const tn_priority_call& call, tn_status& done);
    tn_status save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) const {
        return sampler_.state->save(sampler_.self, first, count, &writer);
    }
    tn_status load(std::uint32_t first, std::uint32_t count, const tn_reader& reader) {
        return sampler_.state->load(sampler_.self, first, count, &reader);
    }
    Status look(const char* function, std::span<const DeviceArray* const> inputs, tn_status& done);

    Callee<tn_sampler_api> sampler_;
    const tn_device_sampler_api* on_device_;
    std::uint32_t rows_;
    bool is_newer_;
    std::unique_ptr<WatchedDevice> device_;
    tn_sampler_api table_{};
    tn_sampler_info info_{};
    std::vector<std::uint32_t> sizes_;  // of an element of each column
    bool is_open_ = false;
    tn_fault fault_{};
    DeviceArray numbers_, first_, count_, terminated_, truncated_, options_, priorities_;
    Output slot_, lane_;
    std::vector<Output> columns_;
};

}  // namespace tenon
