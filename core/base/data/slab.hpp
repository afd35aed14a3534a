// SPDX-License-Identifier: Apache-2.0
// Owned memory: zeroed, aligned to 64 bytes, and committed by the system page by page on first use, so that a large
// buffer takes only the memory that has been written. Or the bytes of a file, as memory.
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

    // The first `bytes` of an open file that has as many; the caller may close it. shared: writes go into the file.
    // Otherwise written pages become this slab's own memory, and the file stays as it is.
    static Result<Slab> of_file(int file, std::size_t bytes, bool shared);
    // Waits until what has been written is on the disk. Only for a shared file.
    [[nodiscard]] Status sync() const;
    // Rows will be read in random order, so the system should not read pages in advance.
    void expect_random_reads() const;

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
        std::swap(mapped_, other.mapped_);
    }

    void* data_ = nullptr;
    std::size_t size_ = 0;
    bool mapped_ = false;
};

}  // namespace tenon
