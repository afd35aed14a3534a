// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/plugin_memory.hpp"

#include <link.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

namespace tenon {
namespace {

struct Remembered {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::array<char, 1024> file{};
};

// Fixed, because a handler may interrupt an allocation. Entries never change; further plugins are not remembered.
std::array<Remembered, 128> remembered;
std::atomic<std::size_t> count{0};
std::mutex adding;

struct Search {
    std::uintptr_t address;
    std::uintptr_t begin;
    std::uintptr_t end;
};

int find_library(dl_phdr_info* info, std::size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    std::uintptr_t begin = ~std::uintptr_t{0};
    std::uintptr_t end = 0;
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type == PT_LOAD) {
            begin = std::min<std::uintptr_t>(begin, info->dlpi_addr + part.p_vaddr);
            end = std::max<std::uintptr_t>(end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
        }
    }
    if (search.address < begin || search.address >= end) {
        return 0;
    }
    search.begin = begin;
    search.end = end;
    return 1;
}

}  // namespace

void remember_plugin_memory(const void* address, const std::filesystem::path& file) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const std::lock_guard lock(adding);
    const std::size_t next = count.load();
    Search search{.address = at, .begin = 0, .end = 0};
    if (next == remembered.size() || plugin_at(at) != nullptr || ::dl_iterate_phdr(find_library, &search) == 0) {
        return;
    }
    Remembered& added = remembered[next];
    added.begin = search.begin;
    added.end = search.end;
    const std::string text = file.string();
    std::copy_n(text.begin(), std::min(text.size(), added.file.size() - 1), added.file.begin());
    count.store(next + 1);
}

const char* plugin_at(std::uintptr_t address) {
    const std::size_t known = count.load();
    for (std::size_t i = 0; i < known; ++i) {
        if (address >= remembered[i].begin && address < remembered[i].end) {
            return remembered[i].file.data();
        }
    }
    return nullptr;
}

const char* plugin_on_stack(std::uintptr_t stack) {
    constexpr std::size_t kPage = 4096;
    constexpr std::size_t kMost = 256;  // pages
    std::array<std::uintptr_t, kPage / sizeof(std::uintptr_t)> words{};
    std::uintptr_t at = stack & ~(sizeof(std::uintptr_t) - 1);
    for (std::size_t page = 0; page < kMost; ++page) {
        // read by a system call, which fails at the end of the stack instead of crashing
        const std::size_t bytes = kPage - at % kPage;
        const iovec to{.iov_base = words.data(), .iov_len = bytes};
        void* const place = reinterpret_cast<void*>(at);  // NOLINT(performance-no-int-to-ptr): an address of a register
        const iovec from{.iov_base = place, .iov_len = bytes};
        if (::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(bytes)) {
            return nullptr;
        }
        for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i) {
            if (const char* const file = plugin_at(words[i])) {
                return file;
            }
        }
        at += bytes;
    }
    return nullptr;
}

Registers registers_of(const void* context) {
    const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return {.instruction = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
            .stack = static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
    return {.instruction = machine.pc, .stack = machine.sp};
#endif
}

}  // namespace tenon
