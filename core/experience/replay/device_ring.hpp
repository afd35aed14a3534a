// SPDX-License-Identifier: Apache-2.0
// The columns of a storage on a device. Kernels copy the steps of the device's lanes to its rows, and minibatches are
// gathered from it (device_gather.hpp). One copy moves the rewards and ends of a round's steps to the host; the other
// rows are copied when something on the host reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/device/device.hpp"
#include "base/error/result.hpp"
#include "experience/replay/device_block.hpp"
#include "experience/replay/device_frames.hpp"
#include "experience/replay/device_kernels.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// Where the lanes read or leave a column in a step: dense memory of the device, [lanes] and then the shape of a row.
struct DevicePlace {
    std::string key;
    DType dtype = DType::kF32;
    std::size_t row_bytes = 0;
    Role role = Role::kExtra;
    void* rows = nullptr;
    void* finals = nullptr;  // of an observation: the last one of an episode
};

// The lanes of an env on a device.
struct DeviceLanes {
    std::vector<DevicePlace> columns;
    const std::uint8_t* terminated = nullptr;
    const std::uint8_t* truncated = nullptr;
    std::string reward;  // the column that returns are sums of: one float
};

class DeviceRing {
public:
    // The storage must not move, and the lanes must outlive the ring. The host looks at least every `most_steps` steps.
    static Result<std::unique_ptr<DeviceRing>> make(Storage& storage, std::shared_ptr<Device> device, DeviceLanes lanes,
                                                    std::uint32_t most_steps);
    ~DeviceRing();
    DeviceRing(const DeviceRing&) = delete;
    DeviceRing& operator=(const DeviceRing&) = delete;

    [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }
    [[nodiscard]] const frames::Kernels& kernels() const { return kernels_; }

    // Where a stored column of the present step is; null if the column is not stored and not the env's.
    [[nodiscard]] void* present(std::string_view key) const;
    // [slots][lanes] of a stored column, and its final values.
    [[nodiscard]] std::byte* rows(std::string_view key) const;
    [[nodiscard]] std::byte* finals(std::string_view key) const;

    // Which kernels found a fault.
    enum class Source : std::uint8_t { kEnv, kKeeping, kActing, kSampling, kTaking, kCount };
    [[nodiscard]] tn_fault* fault(Source source) const {
        return static_cast<tn_fault*>(log_.memory) + static_cast<std::size_t>(source);
    }

    // Rows that the host has changed are copied to the device before the next step.
    void changed_on_host() { is_older_ = true; }
    Status take_newest();
    // Copies the host's row of a column at the head to the present step.
    Status send_present(std::string_view key);

    // Call it after a step of the lanes and before the storage advances: enqueues the copy of the step to the slot's
    // rows.
    Status keep();
    [[nodiscard]] bool is_full() const { return kept_ == most_steps_; }
    // Waits for the steps that were kept since the last look. Says how many these are and which faults were found. The
    // host's storage then has the newest observations; show copies the rewards and ends.
    struct Looked {
        std::uint32_t steps = 0;
        std::span<const tn_fault> faults;
    };
    Result<Looked> look();
    // Copies to the host the rewards and ends of step i of the last look, which began at `slot`.
    void show(std::uint32_t step, std::uint32_t slot, std::span<double> rewards) const;
    // The column and the lane of a fault of kKeeping.
    [[nodiscard]] std::string place_of(const tn_fault& fault) const;

    // Copies all rows to the host that it does not have.
    Status fetch_to_host();
    // Call it before the storage rewinds.
    Status rewind();

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

    DeviceRing(Storage& storage, std::shared_ptr<Device> device, DeviceLanes lanes, std::uint32_t most_steps)
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
    frames::Kernels kernels_;
    std::vector<std::byte*> memory_;
    std::vector<Column> columns_;
    std::vector<std::string> kept_keys_;           // of kept columns, for sentences
    const frames::KeptColumn* keeping_ = nullptr;  // on the device
    std::uint32_t keeping_count_ = 0;              // those of the ring are the first
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

}  // namespace tenon
