// SPDX-License-Identifier: Apache-2.0
// Rings of lanes whose steps are uneven hold the newest transitions of each lane, whatever the others do.
#include "engines/source_pool/lane_rings.hpp"

#include "experience/replay/align.hpp"
#include "support/catch.hpp"
#include "unit/replay/world.hpp"

namespace lane_rings_test {

namespace {

using namespace tenon;
using test::Transition;

// Lanes at a desk, and a record of what they have done.
struct Uneven {
    Uneven(unsigned seed, std::uint32_t slots, std::uint32_t lanes)
        : random{seed},
          rings(*Storage::make(test::World::columns(2), slots, lanes)),
          desk(*LaneRings::make_desk(rings.storage())),
          record(lanes),
          now(lanes) {
        std::vector<std::uint32_t> all(lanes);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            all[lane] = lane;
        }
        begin(all);
    }

    void begin(const std::vector<std::uint32_t>& lanes) {
        for (const std::uint32_t lane : lanes) {
            if (!record[lane].empty() && (record[lane].back().terminated | record[lane].back().truncated) == 0) {
                record[lane].back().truncated = 1;
            }
            put("observation", 0, lane, now[lane] = fresh());
            put("is_init", 0, lane, std::uint8_t{1});
        }
        rings.begin(desk, lanes);
    }

    void step(const std::vector<std::uint32_t>& lanes) {
        for (const std::uint32_t lane : lanes) {
            const bool starts =
                record[lane].empty() || (record[lane].back().terminated | record[lane].back().truncated) != 0;
            Transition at;
            at.observation = {now[lane][0], now[lane][1]};
            at.is_init = starts ? 1 : 0;
            at.action = random() % 1000;
            at.terminated = random() % 6 == 0 ? 1 : 0;
            at.truncated = random() % 8 == 0 ? 1 : 0;
            const auto next = fresh();
            at.next_observation = {next[0], next[1]};
            now[lane] = (at.terminated | at.truncated) != 0 ? fresh() : next;
            put("action", 0, lane, at.action);
            put("terminated", 0, lane, at.terminated);
            put("truncated", 0, lane, at.truncated);
            std::memcpy(row_at(desk.find("observation")->final, 0, lane), next.data(), sizeof next);
            put("observation", 1, lane, now[lane]);
            record[lane].push_back(at);
        }
        rings.take(desk, lanes);
    }

    std::vector<std::uint32_t> some() {
        std::vector<std::uint32_t> out;
        for (std::uint32_t lane = 0; lane < rings.storage().lanes(); ++lane) {
            if (random() % (2 + lane) == 0 && rings.storage().parked()[lane] == 0) {
                out.push_back(lane);
            }
        }
        return out;
    }

    std::array<float, 2> fresh() {
        return {static_cast<float>(random() % 100000), static_cast<float>(random() % 100000)};
    }
    template <class T>
    void put(const char* key, std::uint32_t slot, std::uint32_t lane, const T& value) {
        std::memcpy(row_at(desk.find(key)->view, slot, lane), &value, sizeof value);
    }

    test::Dice random;
    LaneRings rings;
    Storage desk;
    std::vector<std::vector<Transition>> record;
    std::vector<std::array<float, 2>> now;  // [lane] the newest observation
};

std::vector<float> floats(const View& view, std::uint32_t slot, std::uint32_t lane) {
    const auto* const row = static_cast<const float*>(row_at(view, slot, lane));
    return {row, row + 2};
}

// That the newest transitions of the lane, and no others, are there as they were.
void check_lane(const Storage& storage, const std::vector<Transition>& record, std::uint32_t lane) {
    const std::size_t kept = std::min<std::size_t>(record.size(), storage.slots() - 1);
    REQUIRE(storage.view().count[lane] == kept);
    const StorageColumn& observation = *storage.find("observation");
    for (std::size_t i = 0; i < kept; ++i) {
        const Transition& at = record[record.size() - kept + i];
        const auto slot = static_cast<std::uint32_t>((storage.view().first[lane] + i) % storage.slots());
        CAPTURE(lane, i, slot);
        REQUIRE(storage.ring().holds(slot, lane));
        const std::size_t flags = std::size_t{slot} * storage.lanes() + lane;
        REQUIRE(storage.flags().terminated[flags] == at.terminated);
        REQUIRE(storage.flags().truncated[flags] == at.truncated);
        REQUIRE(*static_cast<std::uint8_t*>(row_at(storage.find("is_init")->view, slot, lane)) == at.is_init);
        REQUIRE(*static_cast<std::int64_t*>(row_at(storage.find("action")->view, slot, lane)) == at.action);
        REQUIRE(floats(observation.view, slot, lane) == at.observation);
        const bool done = (at.terminated | at.truncated) != 0;
        REQUIRE(floats(done ? observation.final : observation.view, done ? slot : storage.slot_after(slot), lane) ==
                at.next_observation);
    }
}

TEST_CASE("rings of uneven lanes hold the newest transitions of every lane") {
    const auto seed = GENERATE(range(0U, 60U));
    CAPTURE(seed);
    test::Dice shape{seed};
    Uneven world(seed, 2 + shape() % 8, 1 + shape() % 5);
    Storage& storage = world.rings.storage();
    for (int t = 0; t < 60; ++t) {
        const std::uint32_t what = shape() % 12;
        if (what == 0) {
            world.begin(world.some());
        } else if (what == 1) {
            align(storage);
            for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
                REQUIRE(storage.ring().lane_head(lane) == storage.head());
            }
        } else if (what == 2 && t > 40) {
            storage.park(shape() % storage.lanes());
        } else {
            world.step(world.some());
        }
        std::uint64_t total = 0;
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            check_lane(storage, storage.parked()[lane] != 0 ? std::vector<Transition>() : world.record[lane], lane);
            total += storage.view().count[lane];
        }
        REQUIRE(storage.view().total == total);
    }
}

}  // namespace

}  // namespace lane_rings_test
