// SPDX-License-Identifier: Apache-2.0
// A storage of two lanes whose observation counts steps: lane 0 ends after steps 2 (terminated) and 4 (truncated), lane
// 1 never ends.
#pragma once

#include "experience/replay/storage.hpp"
#include "support/catch.hpp"

namespace tenon::test {

inline Storage two_lanes(std::uint32_t slots, std::uint32_t steps) {
    std::vector<StorageColumn> columns(3);
    columns[0].key = "observation";
    columns[0].role = Role::kObservation;
    columns[1].key = "reward";
    columns[1].role = Role::kReward;
    columns[2].key = "action";
    columns[2].role = Role::kAction;
    columns[2].dtype = DType::kI64;
    Result<Storage> made = Storage::make(std::move(columns), slots, 2);
    REQUIRE(made);
    Storage storage = std::move(*made);
    const auto set = [&](const char* key, std::uint32_t slot, std::uint32_t lane, float value) {
        *static_cast<float*>(row_at(storage.find(key)->view, slot, lane)) = value;
    };
    storage.begin_episodes(nullptr);
    set("observation", 0, 0, 0);
    set("observation", 0, 1, 100);
    for (std::uint32_t step = 0; step < steps; ++step) {
        const std::uint32_t head = storage.head();
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            set("reward", head, lane, static_cast<float>(step + 1));
            const bool ends = lane == 0 && (step == 2 || step == 4);
            const auto flag = [&](const char* key, bool value) {
                *static_cast<std::uint8_t*>(row_at(storage.find(key)->view, head, lane)) = value ? 1 : 0;
            };
            flag("terminated", ends && step == 2);
            flag("truncated", ends && step == 4);
            *static_cast<float*>(row_at(storage.find("observation")->final, head, lane)) = ends ? -1.0F : 0.0F;
            set("observation", storage.slot_after(head), lane, static_cast<float>(100 * lane + step + 1));
        }
        storage.advance();
    }
    return storage;
}

}  // namespace tenon::test
