// SPDX-License-Identifier: Apache-2.0
#include "experience/dataset/episodes.hpp"

#include <algorithm>
#include <cstddef>

namespace tenon {
namespace {

void add_lane(const Storage& storage, std::uint32_t lane, std::vector<StoredEpisode>& out) {
    const tn_buffer_view& view = storage.view();
    const View is_init = storage.find("is_init")->view;
    std::uint32_t slot = view.first[lane];
    StoredEpisode* running = nullptr;
    for (std::uint32_t step = 0; step < view.count[lane]; ++step) {
        if (running == nullptr) {
            const auto* const begins = static_cast<const std::uint8_t*>(row_at(is_init, slot, lane));
            running = &out.emplace_back(StoredEpisode{.lane = lane, .first = slot, .begins = *begins != 0});
        }
        const std::size_t at = std::size_t{slot} * view.lanes + lane;
        ++running->length;
        running->terminated = view.terminated[at] != 0;
        running->truncated = view.truncated[at] != 0;
        running = running->ends() ? nullptr : running;
        slot = storage.slot_after(slot);
    }
}

}  // namespace

std::vector<StoredEpisode> episodes_of(const Storage& storage) {
    std::vector<StoredEpisode> out;
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        add_lane(storage, lane, out);
    }
    const std::uint32_t oldest = storage.slot_back(storage.ring().live_slots() - 1);
    const auto age = [&](const StoredEpisode& episode) {
        return episode.first >= oldest ? episode.first - oldest : episode.first + storage.slots() - oldest;
    };
    std::ranges::stable_sort(out, {}, age);
    return out;
}

}  // namespace tenon
