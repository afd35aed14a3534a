// SPDX-License-Identifier: Apache-2.0
// Memory that a host and a worker both have. It can grow and never shrinks: whoever else has it cannot take it away.
#pragma once

#include <cstddef>
#include <utility>

#include "error/result.hpp"

namespace tenon {

class SharedMemory {
public:
    SharedMemory() = default;
    // Memory without a name, of zeros.
    static Result<SharedMemory> make(std::size_t bytes);
    // What another process has made; takes the descriptor over.
    static Result<SharedMemory> open(int descriptor);

    SharedMemory(SharedMemory&& other) noexcept { swap(other); }
    SharedMemory& operator=(SharedMemory&& other) noexcept {
        SharedMemory(std::move(other)).swap(*this);
        return *this;
    }
    ~SharedMemory();

    // At least so many bytes, perhaps at another address. What was there stays.
    Status grow(std::size_t bytes);
    // As far as the other process has grown it, perhaps at another address.
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
