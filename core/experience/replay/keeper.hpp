// SPDX-License-Identifier: Apache-2.0
// Chooses which of the collected frames a buffer keeps, where these are not simply the newest ones: the best episodes,
// or a uniform sample of all frames ever collected. Frames are collected in a short ring (storage.hpp), and copied
// from it to rows of the keeper's own, from which samplers choose.
//
// Algorithm R keeps the first n frames. Frame i after them (i > n) takes the place of a random kept frame with
// probability n / i. Then every frame so far is kept with probability n / i, by induction: frame i by its draw; an
// earlier frame was kept with n / (i - 1), and is replaced with n / i * 1 / n = 1 / i, so it stays with n / (i - 1) *
// (1 - 1 / i) = n / i.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/random.h"

namespace tenon {

enum class Keeping {
    kBest,       // whole episodes, those with the largest sums of a column
    kReservoir,  // every frame ever collected is kept with the same probability (Vitter's algorithm R)
};

struct KeepingRule {
    Keeping keeping = Keeping::kBest;
    std::string by = "reward";  // the column of kBest: one number per step
    tn_key key{};               // of the draws of kReservoir
};

class Keeper {
public:
    // Makes room for `rows` transitions with the columns of the ring.
    static Result<Keeper> make(const Storage& ring, std::uint32_t rows, KeepingRule rule);

    // The kept transitions, for samplers. Its address may change until the keeper has its final place.
    [[nodiscard]] Storage& storage() { return rows_; }
    [[nodiscard]] const Storage& storage() const { return rows_; }
    [[nodiscard]] std::uint32_t capacity() const { return rows_.slots() - 1; }
    [[nodiscard]] const KeepingRule& rule() const { return rule_; }

    // Decides which steps to keep of those that the ring got since the last call. Call it before the ring overwrites
    // any of them. An episode whose start the ring has lost is not kept. Allocates nothing.
    void take(const Storage& ring);
    // Drops all rows; the ring starts from zero again.
    void clear();

    // Its state other than the rows, for checkpoints.
    struct Episode {
        double score = 0;
        std::uint32_t length = 0;
    };
    struct Memory {
        std::uint64_t taken = 0;                 // steps of the ring
        std::uint64_t seen = 0;                  // transitions that were kept or not kept so far
        std::uint32_t used = 0;                  // slots that were ever used: the first ones
        std::vector<std::uint64_t> begins = {};  // [lane of the ring] the step with which its episode began
        std::vector<std::uint32_t> order = {};   // [transition] its slot; of kBest, the oldest episode first
        std::vector<Episode> episodes = {};      // of kBest, in the same order
    };
    [[nodiscard]] const Memory& memory() const { return memory_; }
    // Sets the state after the caller has restored the first `used` slots of the storage. Returns false, with nothing
    // changed, if the state is impossible.
    bool remember(const Memory& memory);

private:
    Keeper(Storage rows, KeepingRule rule, std::uint32_t lanes);
    void take_row(const Storage& ring, std::uint32_t slot, std::uint32_t lane);
    void take_episode(const Storage& ring, std::uint32_t lane, std::uint64_t begin, std::uint64_t end);
    bool make_room(double score, std::uint32_t length);
    void drop_marked();
    void copy_row(const Storage& ring, std::uint32_t from, std::uint32_t lane, std::uint32_t to);
    [[nodiscard]] double score_of(const Storage& ring, std::uint32_t lane, std::uint64_t begin,
                                  std::uint64_t end) const;
    void show();

    Storage rows_;
    KeepingRule rule_;
    Memory memory_;
    std::vector<std::uint32_t> free_;       // slots without a transition
    std::vector<std::uint8_t> terminated_;  // this and the next: for kBest, in the order of transitions
    std::vector<std::uint8_t> truncated_;
    std::vector<std::uint32_t> worst_;  // episodes that may be dropped
    std::vector<std::uint8_t> goes_;    // [episode]
};

// Why the column cannot rank episodes; empty if it can.
std::string fault_of_ranking(const StorageColumn& column);

}  // namespace tenon
