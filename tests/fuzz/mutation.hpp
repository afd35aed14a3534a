// SPDX-License-Identifier: Apache-2.0
// How replay.cpp makes inputs of others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::fuzz {

using Input = std::vector<std::uint8_t>;
using Random = std::mt19937_64;

inline constexpr std::size_t kLargest = 64U << 10U;  // bytes of an input

// Libraries whose components start programs or need libraries of others.
inline constexpr std::array<std::string_view, 6> kForeign = {"atari",        "dm_control", "gym",
                                                             "gym_embedded", "mujoco",     "open_spiel"};

// Changes a few bytes anywhere; `other` is an input to take a piece from.
void mutate_bytes(Input& input, const Input& other, Random& random);

// Changes a line or a table of a manifest so that it mostly remains TOML, with keys and values that its tables and
// components have: what a parser accepts, and what is wired then.
void mutate_manifest(std::string& text, const std::string& other, Random& random);

}  // namespace tenon::fuzz
