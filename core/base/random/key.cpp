// SPDX-License-Identifier: Apache-2.0
#include "base/random/key.hpp"

namespace tenon {

tn_key make_key(std::uint64_t seed, std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    // FNV-1a hardly mixes the upper bits of short names.
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111eb;
    return {.seed = seed, .stream = hash ^ (hash >> 31U)};
}

}  // namespace tenon
