// SPDX-License-Identifier: Apache-2.0
// A storage fed by a random world, and the plainest possible record of what happened: a list of transitions
// per lane. Whatever the storage says must be what the record says.
#pragma once

#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "experience/replay/storage.hpp"

namespace tenon::test {

// 32 random bits a call.
struct Dice {
    explicit Dice(unsigned seed) : engine(seed) {}
    std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
    std::mt19937 engine;
};

struct Transition {
    std::uint32_t slot = 0;
    std::vector<float> observation;
    std::vector<float> next_observation;
    std::int64_t action = 0;
    float reward = 0;
    std::uint8_t terminated = 0;
    std::uint8_t truncated = 0;
    std::uint8_t is_init = 0;
};

class World {
public:
    World(unsigned seed, std::uint32_t slots, std::uint32_t lanes, std::int64_t width)
        : World(seed, *Storage::make(columns(width), slots, lanes), width) {}

    World(unsigned seed, Storage empty, std::int64_t width)
        : storage(std::move(empty)), record(storage.lanes()), width_(width), random_(seed) {
        begin(nullptr);
    }

    // New episodes at the head.
    void begin(const std::uint8_t* mask) {
        storage.begin_episodes(mask);
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            if (mask == nullptr || mask[lane] != 0) {
                if (!record[lane].empty() && (record[lane].back().terminated | record[lane].back().truncated) == 0) {
                    record[lane].back().truncated = 1;
                }
                write(storage.find("observation")->view, storage.head(), lane, fresh());
                starts_.resize(storage.lanes());
                starts_[lane] = 1;
            }
        }
    }

    void step() {
        const std::uint32_t slot = storage.head();
        const std::uint32_t next = storage.slot_after(slot);
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            if (storage.parked()[lane] != 0) {
                continue;
            }
            Transition now;
            now.slot = slot;
            now.observation = read(storage.find("observation")->view, slot, lane);
            now.action = static_cast<std::int64_t>(random_() % 1000);
            now.reward = static_cast<float>(random_() % 1000);
            now.terminated = random_() % 6 == 0 ? 1 : 0;
            now.truncated = random_() % 8 == 0 ? 1 : 0;
            now.next_observation = fresh();
            now.is_init = starts_[lane];
            starts_[lane] = (now.terminated | now.truncated) != 0 ? 1 : 0;
            put("action", slot, lane, now.action);
            put("reward", slot, lane, now.reward);
            put("terminated", slot, lane, now.terminated);
            put("truncated", slot, lane, now.truncated);
            if (starts_[lane] != 0) {
                write(storage.find("observation")->final, slot, lane, now.next_observation);
                write(storage.find("observation")->view, next, lane, fresh());
            } else {
                write(storage.find("observation")->view, next, lane, now.next_observation);
            }
            record[lane].push_back(std::move(now));
        }
        storage.advance();
    }

    // The transitions that must still be there.
    [[nodiscard]] std::vector<Transition> kept(std::uint32_t lane) const {
        if (storage.parked()[lane] != 0) {
            return {};
        }
        const std::size_t most = storage.slots() - 1;
        const std::size_t n = record[lane].size();
        return {record[lane].begin() + static_cast<std::ptrdiff_t>(n > most ? n - most : 0), record[lane].end()};
    }

    static std::vector<StorageColumn> columns(std::int64_t width) {
        const auto column = [](const char* key, Role role, DType dtype, const Shape& row) {
            return StorageColumn{.key = key, .role = role, .dtype = dtype, .row = row, .view = {}, .final = {}};
        };
        return {column("observation", Role::kObservation, DType::kF32, {width}),
                column("action", Role::kAction, DType::kI64, {}), column("reward", Role::kReward, DType::kF32, {})};
    }

    Storage storage;
    std::vector<std::vector<Transition>> record;  // [lane], all there ever were

private:
    std::vector<float> fresh() {
        std::vector<float> out(static_cast<std::size_t>(width_));
        for (float& x : out) {
            x = static_cast<float>(random_() % 100000);
        }
        return out;
    }
    template <class T>
    void put(const char* key, std::uint32_t slot, std::uint32_t lane, T value) {
        std::memcpy(row_at(storage.find(key)->view, slot, lane), &value, sizeof value);
    }
    static void write(const View& view, std::uint32_t slot, std::uint32_t lane, const std::vector<float>& row) {
        std::memcpy(row_at(view, slot, lane), row.data(), row.size() * sizeof(float));
    }
    std::vector<float> read(const View& view, std::uint32_t slot, std::uint32_t lane) const {
        std::vector<float> out(static_cast<std::size_t>(width_));
        std::memcpy(out.data(), row_at(view, slot, lane), out.size() * sizeof(float));
        return out;
    }

    std::int64_t width_;
    Dice random_;
    std::vector<std::uint8_t> starts_;
};

}  // namespace tenon::test
