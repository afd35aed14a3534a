// SPDX-License-Identifier: Apache-2.0
// Memory and kernels on a device, for samplers that choose rows on it:
//
//     void open(const tenon::DeviceRoom& room);                       // loads kernels and makes memory
//     void enqueue_sample(const tn_device_sample_call& call);         // only launches
//     void enqueue_prioritise(const tn_device_priority_call& call);   // likewise, if it uses priorities
//
// in addition to plan and sample. If there is no code for the CPU, sample throws tenon::Unavailable, and the class
// declares `static constexpr bool only_on_device = true`. If a function of the device fails, the host explains why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "tenon/abi/device_sampler.h"
#include "tenon/guard.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

using DeviceRoom = tn_device_room;

inline void require_device(tn_status status) {
    if (status != TN_OK) {
        throw Error(status, "");
    }
}

// Zeroed memory of a device.
template <class T>
class DeviceMemory {
public:
    DeviceMemory() = default;
    DeviceMemory(const tn_device& device, std::size_t size) : device_(&device), size_(size) {
        void* memory = nullptr;
        require_device(device.alloc(device.ctx, size * sizeof(T), &memory));
        data_ = static_cast<T*>(memory);
    }
    DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        DeviceMemory(std::move(other)).swap(*this);
        return *this;
    }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    ~DeviceMemory() {
        if (data_ != nullptr) {
            device_->free(device_->ctx, data_);
        }
    }

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }

    // While opening, saving and loading; they wait.
    [[nodiscard]] std::vector<T> read() const {
        std::vector<T> out(size_);
        if (size_ > 0) {
            require_device(device_->read(device_->ctx, out.data(), data_, size_ * sizeof(T)));
        }
        return out;
    }
    void write(const std::vector<T>& from) {
        if (!from.empty()) {
            require_device(device_->write(device_->ctx, data_, from.data(), from.size() * sizeof(T)));
        }
    }

private:
    void swap(DeviceMemory& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    const tn_device* device_ = nullptr;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// A kernel of an image. Its arguments must have exactly the types that the kernel declares.
class DeviceKernel {
public:
    DeviceKernel() = default;
    DeviceKernel(const tn_device& device, void* module, const char* name) {
        require_device(device.kernel(device.ctx, module, name, &kernel_));
    }

    template <class... Arguments>
    void launch(const tn_stream& stream, std::uint32_t blocks, std::uint32_t threads, Arguments... arguments) const {
        const std::uint32_t grid[3] = {blocks, 1, 1};
        const std::uint32_t block[3] = {threads, 1, 1};
        void* const pointers[] = {static_cast<void*>(&arguments)...};
        require_device(stream.launch(&stream, kernel_, grid, block, pointers));
    }

private:
    void* kernel_ = nullptr;
};

}  // namespace TENON_SDK
}  // namespace tenon
