// SPDX-License-Identifier: Apache-2.0
// The columns of a storage in the memory of a device, and what copies steps to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/device/device.hpp"
#include "base/error/result.hpp"
#include "engines/cuda/frames/launches.hpp"
#include "engines/cuda/frames/works.hpp"
#include "experience/replay/device_block.hpp"
#include "experience/replay/device_ring.hpp"
#include "experience/replay/storage.hpp"

namespace tenon::frames {

// As DeviceEngine::make_ring.
Result<std::unique_ptr<DeviceRing>> make_ring(Storage& storage, std::shared_ptr<Device> device, DeviceLanes lanes,
                                              std::uint32_t most_steps);

class Ring final : public DeviceRing {
public:
    static Result<std::unique_ptr<DeviceRing>> make(Storage& storage, std::shared_ptr<Device> device, DeviceLanes lanes,
                                                    std::uint32_t most_steps);
    ~Ring() override;

    [[nodiscard]] const std::shared_ptr<Device>& device() const override { return device_; }
    [[nodiscard]] const Kernels& kernels() const { return kernels_; }
    [[nodiscard]] const Storage& storage() const { return storage_; }

    [[nodiscard]] void* present(std::string_view key) const override;
    [[nodiscard]] std::byte* rows(std::string_view key) const override;
    [[nodiscard]] std::byte* finals(std::string_view key) const;  // the final values of a stored column
    [[nodiscard]] Result<std::unique_ptr<DeviceGather>> make_gather(const SamplerPlan& sampler,
                                                                    std::span<const std::string> keys,
                                                                    std::string_view reader,
                                                                    std::uint32_t rows) const override;
    [[nodiscard]] tn_fault* fault(Source source) const override {
        return static_cast<tn_fault*>(log_.memory) + static_cast<std::size_t>(source);
    }

    void changed_on_host() override { is_older_ = true; }
    Status take_newest() override;
    Status send_present(std::string_view key) override;
    Status keep() override;
    [[nodiscard]] bool is_full() const override { return kept_ == most_steps_; }
    Result<Looked> look() override;
    void show(std::uint32_t step, std::uint32_t slot, std::span<double> rewards) const override;
    [[nodiscard]] std::string place_of(const tn_fault& fault) const override;
    Status fetch_to_host() override;
    Status rewind() override;

private:
    struct Column {
        std::string key;
        Role role = Role::kExtra;
        std::size_t row_bytes = 0;
        View view;  // the host's
        View final;
        std::byte* rows = nullptr;
        std::byte* finals = nullptr;
        DevicePlace present = {};
        bool is_own = false;  // present.rows is memory of the ring
    };

    Ring(Storage& storage, std::shared_ptr<Device> device, DeviceLanes lanes, std::uint32_t most_steps)
        : storage_(storage), device_(std::move(device)), lanes_(std::move(lanes)), most_steps_(most_steps) {}
    Status build();
    Status add_column(const StorageColumn& column);
    Status make_log();
    Result<std::byte*> allocate(std::uint64_t bytes);
    Status copy_slots(std::uint32_t first, std::uint32_t count, bool to_host);
    [[nodiscard]] const DevicePlace* place_of_env(std::string_view key) const;
    [[nodiscard]] const Column* find(std::string_view key) const;

    Storage& storage_;
    std::shared_ptr<Device> device_;
    DeviceLanes lanes_;
    std::uint32_t most_steps_;
    Kernels kernels_;
    std::vector<std::byte*> memory_;
    std::vector<Column> columns_;
    std::vector<std::string> kept_keys_;   // of kept columns, for sentences
    const KeptColumn* keeping_ = nullptr;  // on the device
    std::uint32_t keeping_count_ = 0;      // those of the ring are the first
    std::uint32_t ring_count_ = 0;
    DeviceBlock log_;  // faults; rewards, terminated, truncated of steps; newest observations
    std::size_t rewards_at_ = 0;
    std::size_t terminated_at_ = 0;
    std::size_t truncated_at_ = 0;
    std::vector<std::pair<std::size_t, std::size_t>> newest_at_;  // which column, where in the log
    std::uint32_t kept_ = 0;
    std::uint32_t newer_ = 0;  // steps that the host does not have
    bool is_older_ = true;
};

}  // namespace tenon::frames
