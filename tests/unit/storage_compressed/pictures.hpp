// SPDX-License-Identifier: Apache-2.0
// A storage of pictures, such as are compressed, and all rows that a storage holds, as a plan gathers them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engines/storage_compressed/packed_rows.hpp"
#include "experience/replay/gather.hpp"
#include "support/catch.hpp"
#include "unit/replay/world.hpp"

namespace tenon::test {

// Stacks of pictures [4, side, side]: each step has one new picture, each episode begins with four equal ones.
class Pictures {
public:
    Pictures(unsigned seed, std::uint32_t slots, std::uint32_t lanes, std::int64_t side, bool compress)
        : storage(compress ? *make_packed(columns(side), slots, lanes) : *Storage::make(columns(side), slots, lanes)),
          side_(static_cast<std::size_t>(side)),
          random_(seed),
          stacks_(lanes, std::vector<std::uint8_t>(4 * side_ * side_)) {
        storage.begin_episodes(nullptr);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            fill(lane);
            put(storage.find("observation")->view, storage.head(), lane);
        }
    }

    void step() {
        const std::uint32_t slot = storage.head();
        const std::uint32_t next = storage.slot_after(slot);
        const StorageColumn& observation = *storage.find("observation");
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            const bool ends = random_() % 9 == 0;
            *static_cast<std::uint8_t*>(row_at(storage.find("terminated")->view, slot, lane)) = ends ? 1 : 0;
            *static_cast<std::int64_t*>(row_at(storage.find("action")->view, slot, lane)) = ++actions_;
            move(lane);
            put(ends ? observation.final : observation.view, ends ? slot : next, lane);
            if (ends) {
                fill(lane);
                put(observation.view, next, lane);
            }
        }
        storage.advance();
    }

    static std::vector<StorageColumn> columns(std::int64_t side) {
        return {{.key = "observation",
                 .role = Role::kObservation,
                 .dtype = DType::kU8,
                 .row = {4, side, side},
                 .view = {},
                 .final = {}},
                {.key = "action", .role = Role::kAction, .dtype = DType::kI64, .row = {}, .view = {}, .final = {}}};
    }

    Storage storage;

private:
    // A square on a background that stays.
    void draw(std::uint8_t* picture) {
        for (std::size_t i = 0; i < side_ * side_; ++i) {
            picture[i] = static_cast<std::uint8_t>(i / side_ * 3);
        }
        const std::size_t at = random_() % (side_ * side_ - 3);
        std::memset(picture + at, static_cast<int>(random_() % 256), 3);
    }
    void fill(std::uint32_t lane) {
        std::uint8_t* const stack = stacks_[lane].data();
        draw(stack);
        for (std::size_t i = 1; i < 4; ++i) {
            std::memcpy(stack + i * side_ * side_, stack, side_ * side_);
        }
    }
    void move(std::uint32_t lane) {
        std::uint8_t* const stack = stacks_[lane].data();
        std::memmove(stack, stack + side_ * side_, 3 * side_ * side_);
        draw(stack + 3 * side_ * side_);
    }
    void put(const View& view, std::uint32_t slot, std::uint32_t lane) {
        std::memcpy(row_at(view, slot, lane), stacks_[lane].data(), stacks_[lane].size());
    }

    std::size_t side_;
    Dice random_;
    std::vector<std::vector<std::uint8_t>> stacks_;
    std::int64_t actions_ = 0;
};

inline const SamplerPlan kAllRows{.sampler = "replay/test", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
inline const std::vector<std::string> kKeysOfPictures = {"observation", "action", "next.observation", "next.done"};

// All rows that are held, the newest of a lane first, as the plan gathers them.
class Gathered {
public:
    Gathered(const Storage& storage, const SamplerPlan& sampler, std::vector<std::string> keys)
        : storage_(storage), arrays_(sampler.array_count), plan_(*GatherPlan::make(storage, sampler, keys, "test")) {}

    std::vector<std::vector<std::uint8_t>> rows() {
        std::vector<std::uint32_t> slots;
        std::vector<std::uint32_t> lanes;
        const tn_buffer_view& view = storage_.view();
        for (std::uint32_t back = storage_.slots(); back-- > 0;) {
            for (std::uint32_t lane = 0; lane < storage_.lanes(); ++lane) {
                if (back < view.count[lane]) {
                    slots.push_back((view.first[lane] + back) % storage_.slots());
                    lanes.push_back(lane);
                }
            }
        }
        const std::vector<std::uint32_t> reversed(slots.rbegin(), slots.rend());
        const std::vector<std::uint32_t> lanes_reversed(lanes.rbegin(), lanes.rend());
        const std::vector<const std::uint32_t*> slot_arrays = {slots.data(), reversed.data()};
        const std::vector<const std::uint32_t*> lane_arrays = {lanes.data(), lanes_reversed.data()};
        std::vector<std::vector<std::uint8_t>> out;
        std::vector<void*> to;
        for (const Port& port : plan_.ports()) {
            out.emplace_back(row_bytes(port) * slots.size());
            to.push_back(out.back().data());
        }
        const std::size_t half = slots.size() / 2;
        const SampledRows sampled{.slots = slot_arrays.data(), .lanes = lane_arrays.data(), .columns = nullptr};
        plan_.gather(sampled, 0, half, to.data());
        plan_.gather(sampled, half, slots.size() - half, to.data());
        REQUIRE(plan_.is_intact());
        return out;
    }

private:
    const Storage& storage_;
    std::uint32_t arrays_;
    GatherPlan plan_;
};

}  // namespace tenon::test
