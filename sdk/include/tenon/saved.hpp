// SPDX-License-Identifier: Apache-2.0
// "tenon.state/1" for an adapter that has host() and archive(archive, first, count), which serves both saving and
// loading.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tenon/abi/state.h"
#include "tenon/guard.hpp"
#include "tenon/state.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class Adapter>
class StateInterface {
public:
    static const tn_state_api* table() {
        static constexpr tn_state_api kTable = {
            .struct_size = sizeof(tn_state_api), .flags = 0, .save = &save, .load = &load};
        return &kTable;
    }

private:
    static tn_status save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) noexcept {
        return run(self, first, count, Archive(*writer));
    }
    static tn_status load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) noexcept {
        return run(self, first, count, Archive(*reader));
    }
    static tn_status run(void* self, std::uint32_t first, std::uint32_t count, Archive archive) noexcept {
        auto& adapter = *static_cast<Adapter*>(self);
        return guard(adapter.host(), [&] { adapter.archive(archive, first, count); });
    }
};

// The lanes [first, first + count) of a list with `per_lane` elements per lane; throws if they do not exist.
template <class Lane>
std::span<Lane> lanes_at(std::vector<Lane>& lanes, std::uint32_t first, std::uint32_t count, std::size_t per_lane = 1) {
    const std::size_t all = lanes.size() / per_lane;
    if (first > all || count > all - first) {
        throw InvalidArgument("the host named lanes that do not exist");
    }
    return std::span(lanes).subspan(first * per_lane, count * per_lane);
}

}  // namespace TENON_SDK
}  // namespace tenon
