// SPDX-License-Identifier: Apache-2.0
// An env on a device, as the host calls it (device_env.hpp): copies for each step, or columns that stay.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "base/data/view.hpp"
#include "base/device/device.hpp"
#include "experience/env/device_env.hpp"
#include "experience/replay/device_block.hpp"
#include "tenon/abi/device_env.h"

namespace tenon {

class HostedEnv final : public DeviceEnv {
public:
    // As DeviceParts::make_env.
    static Result<std::unique_ptr<DeviceEnv>> make(const Callee<tn_env_api>& env, const tn_device_env_api* on_device,
                                                   std::shared_ptr<Device> device, std::uint32_t lanes);
    ~HostedEnv() override;

    [[nodiscard]] Callee<tn_env_api> callee() override;
    [[nodiscard]] DeviceLanes columns_on_device() const override;
    tn_status enqueue_step(tn_fault* fault) override;
    [[nodiscard]] const std::shared_ptr<Device>& device() const override { return device_; }
    [[nodiscard]] std::string text_of(const tn_fault& fault) const override;
    [[nodiscard]] Crossing crossing() const override;

private:
    friend struct HostTables;
    struct Part {  // a column of the env
        Spec spec;
        std::uint64_t row = 0;  // bytes of a lane
        DeviceBlock* block = nullptr;
        std::uint64_t at = 0;        // where it begins in its block
        std::uint64_t final_at = 0;  // of an observation, in finals_
        View view;                   // of the host
        View final;
    };

    HostedEnv(const Callee<tn_env_api>& env, const tn_device_env_api* on_device, std::shared_ptr<Device> device,
              std::uint32_t lanes);
    void lay_out(const Composite& specs);
    tn_status describe(tn_env_info& info) const;
    tn_status bind(const tn_env_buffers& buffers);
    tn_status reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds);
    tn_status step(const tn_env_step& call);
    tn_status save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) const;
    tn_status load(std::uint32_t first, std::uint32_t count, const tn_reader& reader);
    tn_status describe_picture(tn_picture_info& info) const { return env_.render->describe(env_.self, &info); }
    tn_status draw(std::uint32_t lane, std::uint8_t* pixels) const;
    tn_status fetch(DeviceBlock& block);
    tn_status fault();
    [[nodiscard]] bool is_parked(std::uint32_t lane) const {
        return lane_status_ != nullptr && lane_status_[lane] != 0;
    }
    void show(const Part& part, std::uint32_t slot, std::uint32_t lane) const;
    [[nodiscard]] tn_device_env_call call_of(const tn_stream& stream, std::uint32_t first, std::uint32_t count) const;

    Callee<tn_env_api> env_;
    const tn_device_env_api* on_device_;
    std::shared_ptr<Device> device_;
    std::uint32_t lanes_;
    std::vector<Part> parts_;
    std::vector<void*> columns_;
    std::vector<void*> finals_of_;
    DeviceBlock given_;   // actions
    DeviceBlock reset_;   // mask, seeds
    DeviceBlock shown_;   // fault, terminated, truncated, columns
    DeviceBlock finals_;  // the last observations of episodes
    std::uint64_t seeds_at_ = 0;
    std::uint64_t terminated_at_ = 0;
    std::uint64_t truncated_at_ = 0;
    View terminated_;
    View truncated_;
    const std::uint8_t* lane_status_ = nullptr;
};

}  // namespace tenon
