// SPDX-License-Identifier: Apache-2.0
// Owned memory: zeroed, aligned to 64 bytes, and committed by the system page by page on first use, so that a large
// buffer takes only the memory that has been written.
#pragma once

#include <cstddef>
#include <utility>

#include "base/error/result.hpp"

namespace tenon {

inline constexpr std::size_t kSlabAlignment = 64;

class Slab {
public:
    Slab() = default;
    Slab(Slab&& other) noexcept { swap(other); }
    Slab& operator=(Slab&& other) noexcept {
        Slab(std::move(other)).swap(*this);
        return *this;
    }
    Slab(const Slab&) = delete;
    Slab& operator=(const Slab&) = delete;
    ~Slab();

    // `bytes` of zeros, or a problem if the system has no memory. 0 bytes: an empty slab.
    static Result<Slab> make(std::size_t bytes);

    [[nodiscard]] void* data() const { return data_; }
    template <class T>
    [[nodiscard]] T* as() const {
        return static_cast<T*>(data_);
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }

private:
    void swap(Slab& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tenon
