// SPDX-License-Identifier: Apache-2.0
// What prioritised samplers share (Schaul et al. 2016): an item for every slot and lane of the buffer, drawn
// independently with a probability proportional to (priority + eps)^alpha; its loss has the weight (that / the smallest
// in the buffer)^-beta. New items have the largest priority of any update so far, or 1 before the first update. When
// alpha changes, all weights are computed again from the priorities, which are stored from then on.
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
    struct Item {
        float priority = 0;  // with eps
        float weight = 0;
    };

    // Goes through what has been collected since the last batch, oldest first: put_new(pair, lane, newest) puts what
    // begins there, begun(lane) is called for lanes of which nothing older is held.
    template <class PutNew, class Begun>
    void follow(const tenon::Transitions& buffer, const PutNew& put_new, const Begun& begun) {
        const std::uint64_t fresh = buffer.appended() - seen_;
        if (fresh == 0) {
            return;
        }
        seen_ = buffer.appended();
        const Item newest = this->newest();
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
                    put_new(buffer.at(lane, held - back), lane, newest);
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
            if (alpha_ != used_alpha_) {
                move_alpha();
            }
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
        used_alpha_ = alpha_;
        priorities_.assign(alpha_ > 0 ? 0 : static_cast<std::size_t>(items), 0);
        return true;
    }

    // Draws so many items; drawn(i) is the pair of one.
    void draw(tenon::Rng& rng, std::size_t count) {
        part_ = std::numeric_limits<std::uint64_t>::max() / lanes_ + 1;
        shares_.resize(count);
        items_.resize(count);
        rng.uniform_pairs(shares_);
        for (std::size_t i = 0; stratified_ && i < count; ++i) {
            shares_[i] = (static_cast<double>(i) + shares_[i]) / static_cast<double>(count);
        }
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
        for (std::size_t i = 0; !priorities_.empty() && i < count; ++i) {
            priorities_[items_[i]] = weights_[i];
        }
        to_weights(weights_);
        tree_.set(items_, weights_);
        for (std::size_t i = 0; within_ && i < count; ++i) {
            top_ = rank(items_[i]) > top_.weight ? SumTree::Leaf{items_[i], rank(items_[i])} : top_;
        }
    }
    // The item is not drawn again.
    void drop(tenon::SlotLane at) {
        items_.clear();
        weights_.clear();
        put(at, {});
        tree_.set(items_, weights_);
    }
    [[nodiscard]] double shaped(double priority) const { return square_ ? priority * priority : priority; }

    void put(tenon::SlotLane at, Item what) {
        if (items_.size() >= kAtOnce) {
            tree_.set(items_, weights_);
            items_.clear();
            weights_.clear();
        }
        items_.push_back(item(at));
        weights_.push_back(what.weight);
        if (!priorities_.empty()) {
            priorities_[items_.back()] = what.priority;
        }
    }

    // What an item of that priority has, eps not yet added.
    [[nodiscard]] Item item_of(double priority) const { return weighted(static_cast<float>(priority + eps_)); }

    // What new items have.
    [[nodiscard]] Item newest() {
        if (updated_ && within_) {
            top_ = top_.weight > 0 && rank(top_.item) == top_.weight ? top_ : largest();
            if (top_.weight > 0 && priorities_.empty()) {
                return {0, top_.weight};
            }
        }
        const bool held = updated_ && within_ && top_.weight > 0;
        return held ? weighted(top_.weight) : item_of(updated_ ? largest_ : 1.0);
    }

    void archive_items(tenon::Archive& archive) {
        std::vector<float> weights = tree_.weights();
        archive(slots_, lanes_, seen_, largest_, updated_, held_, weights, used_alpha_, priorities_, top_);
        if (archive.loading()) {
            if (weights.size() != std::size_t{slots_} * lanes_ || held_.size() != lanes_ ||
                (!priorities_.empty() && priorities_.size() != weights.size()) ||
                top_.item >= std::max<std::size_t>(weights.size(), 1)) {
                throw tenon::DataLoss("saved state is damaged: its priorities do not fit its rows");
            }
            tree_.assign(weights);
        }
    }

    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }

    double alpha_ = 0;
    double beta_ = 0;
    double eps_ = 0;
    bool stratified_ = false;

private:
    // Removes the transitions lost since the last batch whose slots hold no newer transition. A step that is not
    // complete has overwritten them or soon will.
    void forget_lost(const tenon::Transitions& buffer, std::uint32_t lane, std::uint64_t fresh) {
        const auto lost = static_cast<std::uint32_t>(std::min<std::uint64_t>(fresh, slots_));
        for (std::uint32_t i = std::max(buffer.size_of(lane), slots_ - lost); i < slots_; ++i) {
            put(buffer.at(lane, i), {});
        }
    }

    // Priorities of an alpha of 0 are not in the weights, so they are kept from the start.
    void move_alpha() {
        if (priorities_.empty()) {
            priorities_ = tree_.weights();
            std::vector<float> weights = priorities_;
            powers::raise(priorities_, static_cast<float>(1 / used_alpha_));
            for (std::size_t i = 0; i < weights.size(); ++i) {
                priorities_[i] = weights[i] > 0 ? priorities_[i] : 0;
            }
        }
        used_alpha_ = alpha_;
        top_ = {};
        for (std::size_t first = 0; first < priorities_.size(); first += kAtOnce) {
            const std::size_t count = std::min(kAtOnce, priorities_.size() - first);
            items_.resize(count);
            weights_.assign(priorities_.begin() + static_cast<std::ptrdiff_t>(first),
                            priorities_.begin() + static_cast<std::ptrdiff_t>(first + count));
            to_weights(weights_);
            for (std::size_t i = 0; i < count; ++i) {
                items_[i] = static_cast<std::uint32_t>(first + i);
                weights_[i] = priorities_[first + i] > 0 ? weights_[i] : 0;
            }
            tree_.set(items_, weights_);
        }
    }

    // Of two items the one with the larger number has the larger priority.
    [[nodiscard]] float rank(std::uint32_t item) const { return priorities_.empty() ? tree_[item] : priorities_[item]; }
    [[nodiscard]] SumTree::Leaf largest() const {
        if (priorities_.empty()) {
            return tree_.largest();
        }
        const auto most = std::max_element(priorities_.begin(), priorities_.end());
        return {static_cast<std::uint32_t>(most - priorities_.begin()), *most};
    }

    void forget(std::uint32_t lane) {
        for (std::uint32_t slot = 0; slot < slots_; ++slot) {
            put({slot, lane}, {});
        }
    }

    [[nodiscard]] std::uint32_t item(tenon::SlotLane at) const { return at.slot * lanes_ + at.lane; }

    [[nodiscard]] Item weighted(float with_eps) const {
        std::array<float, 1> out = {with_eps};
        to_weights(out);
        return {with_eps, out[0]};
    }

    // Clamped so that the sum is finite and no weight is 0; with weights of 0 there might be nothing to draw.
    void to_weights(std::span<float> priorities) const {
        powers::raise(priorities, static_cast<float>(alpha_));
        for (float& weight : priorities) {
            weight = std::clamp(weight, 1e-30F, 1e28F);
        }
    }

    static constexpr std::size_t kAtOnce = 4096;

    std::string kind_;
    bool square_ = false;
    bool within_ = false;

    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
    std::uint64_t seen_ = 0;  // steps of the buffer that the tree contains
    std::uint64_t part_ = 0;
    double largest_ = 0;     // of the priorities given by updates
    double used_alpha_ = 0;  // of the weights in the tree
    bool updated_ = false;
    std::vector<std::uint8_t> held_;  // by lane: whether it holds any
    SumTree tree_;                    // item slot * lanes + lane
    SumTree::Leaf top_;               // an item of the largest rank, if it has still this one
    std::vector<float> priorities_;   // of all items, with eps; empty as long as alpha has not moved

    std::vector<double> shares_;
    std::vector<std::uint32_t> items_;
    std::vector<float> weights_;

public:
    static constexpr auto options = std::tuple{
        tenon::live<&ByPriority::alpha_>("alpha", 0.6, "[0,10]", "exponent of the priorities: 0 samples uniformly"),
        tenon::live<&ByPriority::beta_>("beta", 0.4, "[0,1]",
                                        "exponent of the importance weights: 1 corrects the sampling fully"),
        tenon::option<&ByPriority::eps_>("eps", 1e-8, "(0,1]", "added to every priority"),
        tenon::option<&ByPriority::kind_>("priority", "abs", "abs|square",
                                          "a row's priority is the number that the objective gives (mostly the "
                                          "distance of a value from its target): its absolute value or its square"),
        tenon::option<&ByPriority::within_>("max_priority_within_buffer", false, "",
                                            "new rows have the largest priority that the buffer holds, in place of "
                                            "the largest so far"),
        tenon::option<&ByPriority::stratified_>(
            "stratified", false, "",
            "row i of n draws from the i-th of n equal parts of the sum of all weights, in place of all of it")};
};
