// SPDX-License-Identifier: Apache-2.0
// What prioritised samplers share (Schaul et al. 2016): an item for every slot and lane of the buffer, drawn
// independently with a probability proportional to (priority + eps)^alpha; its loss has the weight (that / the smallest
// in the buffer)^-beta. New items have the largest priority of any update so far, or 1 before the first update.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "powers.hpp"
#include "sum_tree.hpp"
#include "tenon/sampler.hpp"

class ByPriority {
public:
    void setup() { square_ = kind_ == "square"; }

    [[nodiscard]] const SumTree& tree() const { return tree_; }

protected:
    // Goes through what has been collected since the last batch, oldest first: put_new(pair, lane) puts what begins
    // there, begun(lane) is called for lanes of which nothing older is held.
    template <class PutNew, class Begun>
    void follow(const tenon::Transitions& buffer, const PutNew& put_new, const Begun& begun) {
        const std::uint64_t fresh = buffer.appended() - seen_;
        if (fresh == 0) {
            return;
        }
        seen_ = buffer.appended();
        items_.clear();
        weights_.clear();
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            if (fresh >= buffer.size_of(lane)) {
                begun(lane);
            }
        }
        for (auto back = static_cast<std::uint32_t>(std::min<std::uint64_t>(fresh, slots_)); back > 0; --back) {
            for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
                const std::uint32_t held = buffer.size_of(lane);
                if (back <= held) {
                    put_new(buffer.at(lane, held - back), lane);
                }
            }
        }
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            const std::uint32_t held = buffer.size_of(lane);
            if (held > 0 && held < buffer.appended()) {
                forget_lost(buffer, lane, fresh);
            } else if (held == 0 && held_[lane] != 0) {
                forget(lane);
            }
            held_[lane] = held > 0 ? 1 : 0;
        }
        tree_.set(items_, weights_);
    }

    // Whether this is another buffer than that of the last batch.
    bool begin(const tenon::Transitions& buffer) {
        if (buffer.lanes() == lanes_ && buffer.slots() == slots_) {
            return false;
        }
        const std::uint64_t items = std::uint64_t{buffer.slots()} * buffer.lanes();
        if (items > std::numeric_limits<std::uint32_t>::max()) {
            throw tenon::InvalidArgument("a prioritised buffer can hold at most 4294967295 frames");
        }
        slots_ = buffer.slots();
        lanes_ = buffer.lanes();
        seen_ = 0;
        held_.assign(lanes_, 0);
        tree_.resize(static_cast<std::size_t>(items));
        return true;
    }

    // Draws so many items; drawn(i) is the pair of one.
    void draw(tenon::Rng& rng, std::size_t count) {
        part_ = std::numeric_limits<std::uint64_t>::max() / lanes_ + 1;
        shares_.resize(count);
        items_.resize(count);
        rng.uniform_pairs(shares_);
        tree_.find(shares_, items_);
    }
    // part_: 2^64 / lanes_, rounded up; its product with an item gives exactly the slot (Lemire, Kaser and Kurz 2019).
    [[nodiscard]] tenon::SlotLane drawn(std::size_t i) const {
        __extension__ using Product = unsigned __int128;
        const std::uint32_t item = items_[i];
        const auto slot = lanes_ == 1 ? item : static_cast<std::uint32_t>(static_cast<Product>(part_) * item >> 64);
        return {slot, item - slot * lanes_};
    }

    // The importance weights of the items drawn.
    void weigh(std::span<float> weight) const {
        const float smallest = tree_.smallest();
        for (std::size_t i = 0; i < weight.size(); ++i) {
            weight[i] = tree_[items_[i]] / smallest;
        }
        powers::raise(weight, static_cast<float>(-beta_));
    }

    // Priorities of an update, for count items: priority(i) is the number, at(i) where the item begins.
    template <class Priority, class At>
    void take(std::size_t count, const Priority& priority, const At& at) {
        items_.resize(count);
        weights_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const double number = priority(i);
            largest_ = updated_ ? std::max(largest_, number) : number;
            updated_ = true;
            items_[i] = item(at(i));
            weights_[i] = static_cast<float>(number + eps_);
        }
        to_weights(weights_);
        tree_.set(items_, weights_);
    }
    // The item is not drawn again.
    void drop(tenon::SlotLane at) {
        const std::array<std::uint32_t, 1> one = {item(at)};
        const std::array<float, 1> nothing = {0};
        tree_.set(one, nothing);
    }
    [[nodiscard]] double shaped(double priority) const { return square_ ? priority * priority : priority; }

    void put(tenon::SlotLane at, float weight) {
        if (items_.size() >= kAtOnce) {
            tree_.set(items_, weights_);
            items_.clear();
            weights_.clear();
        }
        items_.push_back(item(at));
        weights_.push_back(weight);
    }

    // The weight of new items.
    [[nodiscard]] float newest() const {
        std::array<float, 1> out = {static_cast<float>((updated_ ? largest_ : 1.0) + eps_)};
        to_weights(out);
        return out[0];
    }

    void archive_items(tenon::Archive& archive) {
        std::vector<float> weights = tree_.weights();
        archive(slots_, lanes_, seen_, largest_, updated_, held_, weights);
        if (archive.loading()) {
            if (weights.size() != std::size_t{slots_} * lanes_ || held_.size() != lanes_) {
                throw tenon::DataLoss("saved state is damaged: its priorities do not fit its rows");
            }
            tree_.assign(weights);
        }
    }

    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }

private:
    // Those lost since the last batch whose slots no newer transition has: they are, or soon will be, overwritten by steps
    // that are not complete.
    void forget_lost(const tenon::Transitions& buffer, std::uint32_t lane, std::uint64_t fresh) {
        const auto lost = static_cast<std::uint32_t>(std::min<std::uint64_t>(fresh, slots_));
        for (std::uint32_t i = std::max(buffer.size_of(lane), slots_ - lost); i < slots_; ++i) {
            put(buffer.at(lane, i), 0);
        }
    }

    void forget(std::uint32_t lane) {
        for (std::uint32_t slot = 0; slot < slots_; ++slot) {
            put({slot, lane}, 0);
        }
    }

    [[nodiscard]] std::uint32_t item(tenon::SlotLane at) const { return at.slot * lanes_ + at.lane; }

    // Clamped so that the sum is finite and no weight is 0; with weights of 0 there might be nothing to draw.
    void to_weights(std::span<float> priorities) const {
        powers::raise(priorities, static_cast<float>(alpha_));
        for (float& weight : priorities) {
            weight = std::clamp(weight, 1e-30F, 1e28F);
        }
    }

    static constexpr std::size_t kAtOnce = 4096;

    double alpha_ = 0;
    double beta_ = 0;
    double eps_ = 0;
    std::string kind_;
    bool square_ = false;

    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
    std::uint64_t seen_ = 0;  // steps of the buffer that the tree contains
    std::uint64_t part_ = 0;
    double largest_ = 0;  // of the priorities given by updates
    bool updated_ = false;
    std::vector<std::uint8_t> held_;  // by lane: whether it holds any
    SumTree tree_;                    // item slot * lanes + lane

    std::vector<double> shares_;
    std::vector<std::uint32_t> items_;
    std::vector<float> weights_;

public:
    static constexpr auto options = std::tuple{
        tenon::option<&ByPriority::alpha_>("alpha", 0.6, "[0,10]", "exponent of the priorities: 0 samples uniformly"),
        tenon::live<&ByPriority::beta_>("beta", 0.4, "[0,1]",
                                        "exponent of the importance weights: 1 corrects the sampling fully"),
        tenon::option<&ByPriority::eps_>("eps", 1e-8, "(0,1]", "added to every priority"),
        tenon::option<&ByPriority::kind_>("priority", "abs", "abs|square",
                                          "a row's priority is the number that the objective gives (mostly the "
                                          "distance of a value from its target): its absolute value or its square")};
};
