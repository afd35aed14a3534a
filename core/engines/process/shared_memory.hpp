// SPDX-License-Identifier: Apache-2.0
// Memory shared by a host and a worker. It can grow but never shrinks, so neither side can invalidate the other's
// access.
#pragma once

#include <cstddef>
#include <utility>

#include "base/error/result.hpp"

namespace tenon {

class SharedMemory {
public:
    SharedMemory() = default;
    // Anonymous memory of zeros.
    static Result<SharedMemory> make(std::size_t bytes);
    // Memory that another process has made; takes ownership of the descriptor.
    static Result<SharedMemory> open(int descriptor);

    SharedMemory(SharedMemory&& other) noexcept { swap(other); }
    SharedMemory& operator=(SharedMemory&& other) noexcept {
        SharedMemory(std::move(other)).swap(*this);
        return *this;
    }
    ~SharedMemory();

    // At least this many bytes, possibly at another address. The content is kept.
    Status grow(std::size_t bytes);
    // Maps as much as the other process has added, possibly at another address.
    Status follow();

    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    void swap(SharedMemory& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    int descriptor_ = -1;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tenon
