// SPDX-License-Identifier: Apache-2.0
// Memory between two inaccessible guard pages: an out-of-bounds write raises a signal at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error/result.hpp"

namespace tenon {

class GuardedMemory {
public:
    GuardedMemory() = default;
    GuardedMemory(GuardedMemory&& other) noexcept { swap(other); }
    GuardedMemory& operator=(GuardedMemory&& other) noexcept {
        GuardedMemory(std::move(other)).swap(*this);
        return *this;
    }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;
    ~GuardedMemory();

    // Aligned to 64 bytes and as close to the guard page behind it as the alignment allows. The column's key is for
    // messages.
    static Result<GuardedMemory> make(std::size_t bytes, const std::string& column);
    // Likewise; messages call it `name`: "the column 'reward'".
    static Result<GuardedMemory> make_as(std::size_t bytes, const std::string& name);

    // Whether it can be accessed from now on.
    void allow(bool access) const;

    [[nodiscard]] std::byte* data() const { return data_; }
    // All accessible bytes: the data and the gap between the guard page before it and the data.
    [[nodiscard]] std::span<std::byte> reachable() const { return {data_ + size_ - reach_, reach_}; }

    // The memory that the address belongs to, or whose guard page contains it: "behind", "the column 'reward'"; empty
    // for other addresses. May be called from a signal handler.
    struct Hit {
        std::string_view side;  // "behind", "before" or "in"
        std::string_view name;
    };
    static Hit hit(const void* address);

private:
    void swap(GuardedMemory& other) noexcept;

    std::byte* data_ = nullptr;
    std::size_t size_ = 0;   // up to the guard page behind it
    std::size_t reach_ = 0;  // from the guard page before it to the end
    std::byte* mapped_ = nullptr;
    std::size_t mapped_size_ = 0;
    int number_ = -1;
};

}  // namespace tenon
