// SPDX-License-Identifier: Apache-2.0
// Memory of a device, zeroed at first.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/device/device.hpp"
#include "base/error/result.hpp"

namespace tenon {

class Block {
public:
    // `staged`: also allocates as many bytes of the host, through which copies go.
    static Result<Block> make(std::shared_ptr<Device> device, std::size_t bytes, bool staged = false);

    Block() = default;
    Block(Block&& other) noexcept { swap(other); }
    Block& operator=(Block&& other) noexcept {
        Block(std::move(other)).swap(*this);
        return *this;
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block();

    [[nodiscard]] std::byte* memory() const { return memory_; }
    [[nodiscard]] std::byte* staged() const { return staged_; }
    [[nodiscard]] std::size_t size() const { return size_; }

    // Copies after everything enqueued before. Reading waits.
    Status write(const void* from, std::size_t bytes);
    Status read(void* to, std::size_t bytes) const;
    Status send() { return write(staged_, size_); }
    [[nodiscard]] Status fetch() const { return read(staged_, size_); }

private:
    void swap(Block& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(memory_, other.memory_);
        std::swap(staged_, other.staged_);
        std::swap(size_, other.size_);
    }

    std::shared_ptr<Device> device_;
    std::byte* memory_ = nullptr;
    std::byte* staged_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tenon
