// SPDX-License-Identifier: Apache-2.0
#include "base/simd/level.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/simd/level_variable.hpp"

namespace tenon::simd {
namespace {

std::string_view variable() {
    const char* const value = std::getenv("TENON_LEVEL");
    return value != nullptr ? value : "";
}

std::optional<Level> named(std::string_view name) {
    if (name == "avx512") {
        return Level::kAvx512;
    }
    if (name == "avx2") {
        return Level::kAvx2;
    }
    return name == "base" ? std::optional(Level::kBase) : std::nullopt;
}

}  // namespace

Level machine_level() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return Level::kAvx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return Level::kAvx2;
    }
#endif
    return Level::kBase;
}

std::string_view name_of(Level level) {
    return level == Level::kAvx512 ? "avx512" : level == Level::kAvx2 ? "avx2" : "base";
}

Level level() {
    static const Level chosen = std::min(machine_level(), named(variable()).value_or(Level::kAvx512));
    return chosen;
}

Status check_level_variable() {
    const std::string_view name = variable();
    if (name.empty() || named(name)) {
        return {};
    }
    return input_problem("the environment variable TENON_LEVEL must be 'avx512', 'avx2' or 'base', but is '" +
                         std::string(name) + "'");
}

}  // namespace tenon::simd
