// SPDX-License-Identifier: Apache-2.0
#include "fuzz/graph_script.hpp"

#include <array>
#include <limits>

namespace tenon::fuzz {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::int64_t, 20> kEnds = {kLeast,
                                                kLeast + 1,
                                                kMost,
                                                kMost - 1,
                                                -5,
                                                -8,
                                                -9,
                                                16,
                                                17,
                                                42,
                                                std::int64_t{1} << 20,
                                                std::int64_t{1} << 31,
                                                std::int64_t{1} << 32,
                                                std::int64_t{1} << 37,
                                                std::int64_t{1} << 38,
                                                std::int64_t{1} << 62,
                                                -(std::int64_t{1} << 31),
                                                -(std::int64_t{1} << 32),
                                                64,
                                                65537};
constexpr std::array<std::string_view, 40> kNames = {
    "a",        "b",      "q",           "w",        "z",     "h",          "draws",  "both",
    "update",   "critic", "critic.q",    "actor.q",  "actor", "trunk",      "sample", "value",
    "features", "action", "observation", "reward",   "done",  "terminated", "next.",  "|next.",
    "is_init",  "image",  "hidden",      "priority", "live",  "target",     "real",   "int",
    "bool",     "zeros",  "normal",      "act",      "gae",   "loss",       "a,b",    "\x1b\n\xff"};
constexpr std::size_t kFirstColumn = 17;
constexpr std::size_t kColumns = 9;

}  // namespace

std::int64_t Script::number() {
    const std::uint8_t which = byte();
    if (which < 176) {
        return which % 6;
    }
    return which < 200 ? -static_cast<std::int64_t>(1 + which % 4) : kEnds[which % kEnds.size()];
}

std::string_view Script::name() {
    return kNames[byte() % kNames.size()];
}

std::string_view Script::column() {
    return kNames[kFirstColumn + below(kColumns)];
}

}  // namespace tenon::fuzz
