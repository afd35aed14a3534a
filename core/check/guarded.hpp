// SPDX-License-Identifier: Apache-2.0
// Memory between two stretches of pages that nobody may touch: whoever writes past its end is caught in the act.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "error/result.hpp"

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

    // Aligned to 64 bytes and as close to the page behind it as that allows. `name` is what sentences call it.
    static Result<GuardedMemory> make(std::size_t bytes, const std::string& name);

    [[nodiscard]] std::byte* data() const { return data_; }
    // All that can be touched: data and what lies between the page before and it.
    [[nodiscard]] std::span<std::byte> reachable() const { return {data_ + size_ - reach_, reach_}; }

    // Which memory's guard the address lies in, "behind 'observation'"; empty for any other. May be asked from a signal
    // handler.
    struct Hit {
        std::string_view side;  // "behind" or "before"
        std::string_view name;
    };
    static Hit hit(const void* address);

private:
    void swap(GuardedMemory& other) noexcept;

    std::byte* data_ = nullptr;
    std::size_t size_ = 0;   // up to the page behind it
    std::size_t reach_ = 0;  // back from there to the page before it
    std::byte* mapped_ = nullptr;
    std::size_t mapped_size_ = 0;
    int number_ = -1;
};

}  // namespace tenon
