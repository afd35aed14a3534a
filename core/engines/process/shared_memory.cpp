// SPDX-License-Identifier: Apache-2.0
#include "engines/process/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace tenon {
namespace {

Problem no_memory(const std::string& what) {
    return environment_problem("memory for a separate process could not be " + what + ": " + std::strerror(errno));
}

}  // namespace

Result<SharedMemory> SharedMemory::make(std::size_t bytes) {
    SharedMemory out;
    out.descriptor_ = ::memfd_create("tenon", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (out.descriptor_ < 0 || ::fcntl(out.descriptor_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
        return no_memory("had");
    }
    TENON_TRY(out.grow(bytes));
    return out;
}

Result<SharedMemory> SharedMemory::open(int descriptor) {
    SharedMemory out;
    out.descriptor_ = descriptor;
    TENON_TRY(out.follow());
    return out;
}

Status SharedMemory::grow(std::size_t bytes) {
    if (bytes <= size_) {
        return {};
    }
    if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
        return no_memory("had");
    }
    return follow();
}

Status SharedMemory::follow() {
    struct stat facts{};
    if (::fstat(descriptor_, &facts) != 0) {
        return no_memory("seen");
    }
    const auto bytes = static_cast<std::size_t>(facts.st_size);
    if (bytes == size_) {
        return {};
    }
    void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (data == MAP_FAILED) {
        return no_memory("mapped");
    }
    if (data_ != nullptr) {
        ::munmap(data_, size_);
    }
    data_ = static_cast<std::byte*>(data);
    size_ = bytes;
    return {};
}

SharedMemory::~SharedMemory() {
    if (data_ != nullptr) {
        ::munmap(data_, size_);
    }
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

}  // namespace tenon
