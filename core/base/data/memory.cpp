// SPDX-License-Identifier: Apache-2.0
#include "base/data/memory.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>

namespace tenon {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// The "max" of newer control groups is not a number, and therefore no limit.
std::uint64_t limit_in(const char* path) {
    std::ifstream file(path);
    std::uint64_t bytes = 0;
    return file >> bytes ? bytes : kUnlimited;
}

}  // namespace

std::uint64_t installed_memory() {
    struct sysinfo info{};
    std::uint64_t machine = kUnlimited;
    if (::sysinfo(&info) == 0) {
        machine = (std::uint64_t{info.totalram} + info.totalswap) * info.mem_unit;
    }
    return std::min(
        {machine, limit_in("/sys/fs/cgroup/memory.max"), limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

std::string bytes_text(std::uint64_t bytes) {
    const bool large = bytes >= std::uint64_t{1} << 30;
    const double value = static_cast<double>(bytes) / (large ? 0x1p30 : 0x1p20);
    std::array<char, 32> digits;
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, 1).ptr;
    return std::string(digits.data(), end) + (large ? " GiB" : " MiB");
}

}  // namespace tenon
