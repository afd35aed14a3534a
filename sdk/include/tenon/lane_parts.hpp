// SPDX-License-Identifier: Apache-2.0
// What lanes have seen and gather has not merged, as bytes: `part` of a Lane. Lanes of several processes are merged as
// if they were those of one: gather gets all of them in the order of the run's lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tenon/abi/state.h"
#include "tenon/state.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class Lane>
concept HasPart = requires(Lane& lane, Archive& archive) { lane.part(archive); };

template <HasPart Lane>
void write_parts(std::span<Lane> lanes, const tn_writer& writer) {
    Archive archive(writer);
    auto count = static_cast<std::uint64_t>(lanes.size());
    archive(count);
    for (Lane& lane : lanes) {
        lane.part(archive);
    }
}

template <HasPart Lane>
void read_parts(std::vector<Lane>& to, const tn_reader& reader) {
    Archive archive(reader);
    std::uint64_t count = 0;
    archive(count);
    for (std::uint64_t i = 0; i < count; ++i) {  // a wrong count ends with the bytes
        to.emplace_back().part(archive);
    }
}

// Gives the lane the part of a new one.
template <HasPart Lane>
void forget_part(Lane& lane) {
    struct Bytes {
        std::vector<std::byte> data = {};
        std::size_t at = 0;
    } bytes;
    const tn_writer writer{.struct_size = sizeof(tn_writer),
                           .flags = 0,
                           .ctx = &bytes,
                           .write = [](void* ctx, const void* from, std::uint64_t size) {
                               const auto* const begin = static_cast<const std::byte*>(from);
                               auto& data = static_cast<Bytes*>(ctx)->data;
                               data.insert(data.end(), begin, begin + size);
                               return static_cast<tn_status>(TN_OK);
                           }};
    const tn_reader reader{.struct_size = sizeof(tn_reader),
                           .flags = 0,
                           .ctx = &bytes,
                           .read = [](void* ctx, void* to, std::uint64_t size, std::uint64_t* got) {
                               auto& all = *static_cast<Bytes*>(ctx);
                               *got = std::min<std::uint64_t>(size, all.data.size() - all.at);
                               std::copy_n(all.data.begin() + static_cast<std::ptrdiff_t>(all.at), *got,
                                           static_cast<std::byte*>(to));
                               all.at += *got;
                               return static_cast<tn_status>(TN_OK);
                           }};
    Lane fresh{};
    Archive out(writer);
    fresh.part(out);
    Archive in(reader);
    lane.part(in);
}

}  // namespace TENON_SDK
}  // namespace tenon
