// SPDX-License-Identifier: Apache-2.0
#include "commands/check/guarded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/data/slab.hpp"

namespace tenon {
namespace {

// Data that a signal handler can read: it neither grows nor is freed.
struct Known {
    std::atomic<const std::byte*> mapped{nullptr};
    std::size_t size = 0;
    std::size_t guard = 0;
    std::array<char, 64> name{};
};
constexpr int kMostGuarded = 256;
std::array<Known, kMostGuarded> known;

int remember(const std::byte* mapped, std::size_t size, std::size_t guard, std::string_view name) {
    for (int i = 0; i < kMostGuarded; ++i) {
        Known& entry = known[static_cast<std::size_t>(i)];
        if (entry.mapped.load() != nullptr) {
            continue;
        }
        entry.size = size;
        entry.guard = guard;
        entry.name = {};
        std::memcpy(entry.name.data(), name.data(), std::min(name.size(), entry.name.size() - 1));
        entry.mapped.store(mapped);
        return i;
    }
    return -1;
}

}  // namespace

Result<GuardedMemory> GuardedMemory::make(std::size_t bytes, const std::string& column) {
    return make_as(bytes, "the column '" + column + "'");
}

Result<GuardedMemory> GuardedMemory::make_as(std::size_t bytes, const std::string& name) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    constexpr std::size_t kGuard = std::size_t{1} << 20U;  // of address space only
    const std::size_t held = std::max<std::size_t>(1, (bytes + kSlabAlignment - 1) / kSlabAlignment) * kSlabAlignment;
    const std::size_t inner = (held + page - 1) / page * page;
    void* const mapped =
        ::mmap(nullptr, inner + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED ||
        ::mprotect(static_cast<std::byte*>(mapped) + kGuard, inner, PROT_READ | PROT_WRITE) != 0) {
        return environment_problem("there is not enough memory for " + name);
    }
    GuardedMemory out;
    out.mapped_ = static_cast<std::byte*>(mapped);
    out.mapped_size_ = inner + 2 * kGuard;
    out.data_ = out.mapped_ + kGuard + inner - held;
    out.size_ = held;
    out.reach_ = inner;
    out.number_ = remember(out.mapped_, out.mapped_size_, kGuard, name);
    return out;
}

void GuardedMemory::allow(bool access) const {
    const auto all = reachable();
    ::mprotect(all.data(), all.size(), access ? PROT_READ | PROT_WRITE : PROT_NONE);
}

GuardedMemory::~GuardedMemory() {
    if (mapped_ == nullptr) {
        return;
    }
    if (number_ >= 0) {
        known[static_cast<std::size_t>(number_)].mapped.store(nullptr);
    }
    ::munmap(mapped_, mapped_size_);
}

void GuardedMemory::swap(GuardedMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(reach_, other.reach_);
    std::swap(mapped_, other.mapped_);
    std::swap(mapped_size_, other.mapped_size_);
    std::swap(number_, other.number_);
}

GuardedMemory::Hit GuardedMemory::hit(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    for (const Known& entry : known) {
        const auto begin = reinterpret_cast<std::uintptr_t>(entry.mapped.load());
        if (begin == 0 || at < begin || at >= begin + entry.size) {
            continue;
        }
        const std::string_view name(entry.name.data());
        if (at < begin + entry.guard) {
            return {.side = "before", .name = name};
        }
        if (at >= begin + entry.size - entry.guard) {
            return {.side = "behind", .name = name};
        }
        return {.side = "in", .name = name};
    }
    return {};
}

}  // namespace tenon
