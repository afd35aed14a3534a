// SPDX-License-Identifier: Apache-2.0
// An env's kernels on a watched device (abi/device_env.h), behind the functions of an env on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/data/spec.hpp"
#include "base/data/view.hpp"
#include "commands/check/watched_device.hpp"
#include "experience/replay/callee.hpp"
#include "tenon/abi/device_env.h"
#include "tenon/abi/env.h"

namespace tenon {

class EnvOnDevice {
public:
    // Loads its kernels. The instance must end before this does.
    static Result<std::unique_ptr<EnvOnDevice>> make(const Callee<tn_env_api>& env, const tn_device_env_api* on_device,
                                                     std::string_view device, std::uint32_t lanes, bool is_newer);
    EnvOnDevice(const EnvOnDevice&) = delete;
    EnvOnDevice& operator=(const EnvOnDevice&) = delete;

    // The same component, with functions that check calls as those of an env on the CPU.
    [[nodiscard]] Callee<tn_env_api> callee();
    [[nodiscard]] WatchedDevice& device() { return *device_; }
    // The fault that kernels of the last call have reported.
    [[nodiscard]] const tn_fault& fault() const { return fault_; }

private:
    friend struct HostTables;
    struct Part {  // a column of the env, or a flag
        std::string key;
        std::size_t row = 0;  // bytes of a lane
        bool is_action = false;
        bool is_observation = false;
        bool is_next = false;  // its row belongs to the next slot
        DeviceArray array;
        DeviceArray final;  // of an observation
        View view;          // of the host
        View final_view;
    };

    EnvOnDevice(const Callee<tn_env_api>& env, const tn_device_env_api* on_device, std::uint32_t lanes, bool is_newer);

    Status make_arrays(const Composite& specs);
    Status open();
    tn_status describe(tn_env_info& info) const { return env_.api->describe(env_.self, &info); }
    tn_status bind(const tn_env_buffers& buffers);
    tn_status reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds);
    Status enqueue_reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds, tn_status& done);
    tn_status step(const tn_env_step& call);
    tn_status save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) const {
        return env_.state->save(env_.self, first, count, &writer);
    }
    tn_status load(std::uint32_t first, std::uint32_t count, const tn_reader& reader) {
        return env_.state->load(env_.self, first, count, &reader);
    }
    Status enqueue_step(const tn_env_step& call, tn_status& done);

    template <class Call>
    Status enqueue(const char* function, std::uint32_t first, std::uint32_t count, const Call& call, tn_status& done);
    // Copies the host's rows to the kernels' memory, and fetches the rows that they have written.
    Status give(std::uint32_t slot, std::uint32_t next_slot);
    template <class May>
    Status fetch(const char* function, std::uint32_t slot, std::uint32_t next_slot, const May& may);
    template <class May>
    Status fetch_finals(const char* function, std::uint32_t slot, const May& may);

    Callee<tn_env_api> env_;
    const tn_device_env_api* on_device_;
    std::uint32_t lanes_;
    bool is_newer_;
    std::unique_ptr<WatchedDevice> device_;
    std::vector<Part> parts_;  // the env's columns, then terminated and truncated
    DeviceArray mask_, seeds_;
    tn_fault fault_{};
};

}  // namespace tenon
