// SPDX-License-Identifier: Apache-2.0
#include "base/data/slab.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/data/memory.hpp"

namespace tenon {
namespace {

// For less than this a separate mapping wastes more than it saves.
constexpr std::size_t kMapped = std::size_t{256} << 10;

Problem no_room(std::size_t bytes, int error) {
    return environment_problem("cannot allocate " + bytes_text(bytes) + " of memory: " + std::strerror(error), {},
                               "lower the buffer's capacity or the number of lanes");
}

}  // namespace

Slab::~Slab() {
    if (mapped_) {
        ::munmap(data_, size_);
    } else {
        std::free(data_);
    }
}

Result<Slab> Slab::make(std::size_t bytes) {
    Slab slab;
    if (bytes == 0) {
        return slab;
    }
    if (bytes >= kMapped) {
        void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (data == MAP_FAILED) {
            return no_room(bytes, errno);
        }
        slab.data_ = data;
        slab.mapped_ = true;
    } else {
        const std::size_t whole = (bytes + kSlabAlignment - 1) / kSlabAlignment * kSlabAlignment;
        slab.data_ = std::aligned_alloc(kSlabAlignment, whole);
        if (slab.data_ == nullptr) {
            return no_room(bytes, ENOMEM);
        }
        std::memset(slab.data_, 0, whole);
    }
    slab.size_ = bytes;
    return slab;
}

Result<Slab> Slab::of_file(int file, std::size_t bytes, bool shared) {
    Slab slab;
    if (bytes == 0) {
        return slab;
    }
    const int how = shared ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE;
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, how, file, 0);
    if (data == MAP_FAILED) {
        return no_room(bytes, errno);
    }
    slab.data_ = data;
    slab.size_ = bytes;
    slab.mapped_ = true;
    return slab;
}

Status Slab::sync() const {
    if (size_ > 0 && ::msync(data_, size_, MS_SYNC) != 0) {
        return environment_problem("cannot write " + bytes_text(size_) + " to the disk: " + std::strerror(errno));
    }
    return {};
}

void Slab::expect_random_reads() const {
    if (mapped_) {
        ::madvise(data_, size_, MADV_RANDOM);  // without it reads are only slower
    }
}

}  // namespace tenon
