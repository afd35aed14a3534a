// SPDX-License-Identifier: Apache-2.0
// Prioritised replay (Schaul et al. 2016): draws each transition of a batch independently, with a probability
// proportional to (priority + eps)^alpha; its loss has the weight (that / the smallest in the buffer)^-beta. New
// transitions have the largest priority of any update so far, or 1 before the first update.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "n_step.hpp"
#include "powers.hpp"
#include "sum_tree.hpp"
#include "tenon/sampler.hpp"

class Prioritised {
public:
    [[nodiscard]] tenon::SamplerPlan plan() const {
        return with_steps({.gathers = {{.source = "*"}}, .columns = {{.key = "weight"}}}, steps_);
    }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        follow(buffer);
        const std::uint64_t part = std::numeric_limits<std::uint64_t>::max() / lanes_ + 1;
        shares_.resize(rows.size());
        items_.resize(rows.size());
        rng.uniform_pairs(shares_);
        tree_.find(shares_, items_);
        const std::span<float> weight = rows.column<float>(0);
        const std::span<float> real = steps_ > 1 ? rows.column<float>(1) : std::span<float>();
        const float smallest = tree_.smallest();
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            set_steps(buffer, rows, row, place(items_[row], part), steps_, real);
            weight[row] = tree_[items_[row]] / smallest;
        }
        powers::raise(weight, static_cast<float>(-beta_));
    }

    void prioritise(const tenon::Priorities& rows) {
        items_.resize(rows.size());
        weights_.resize(rows.size());
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const double priority = square_ ? rows[row] * rows[row] : rows[row];
            largest_ = updated_ ? std::max(largest_, priority) : priority;
            updated_ = true;
            items_[row] = item(rows.at(row));
            weights_[row] = static_cast<float>(priority + eps_);
        }
        to_weights(weights_);
        tree_.set(items_, weights_);
    }

    void setup() { square_ = kind_ == "square"; }

    void state(tenon::Archive& archive) {
        std::vector<float> weights = tree_.weights();
        archive(slots_, lanes_, seen_, largest_, updated_, held_, weights);
        if (archive.loading()) {
            if (weights.size() != std::size_t{slots_} * lanes_ || held_.size() != lanes_) {
                throw tenon::DataLoss("saved state is damaged: its priorities do not fit its rows");
            }
            tree_.assign(weights);
        }
    }

    [[nodiscard]] const SumTree& tree() const { return tree_; }

private:
    // Adds what has been collected since the last batch.
    void follow(const tenon::Transitions& buffer) {
        if (buffer.lanes() != lanes_ || buffer.slots() != slots_) {
            begin(buffer);
        }
        const std::uint64_t fresh = buffer.appended() - seen_;
        if (fresh == 0) {
            return;
        }
        seen_ = buffer.appended();
        items_.clear();
        weights_.clear();
        std::array<float, 1> newest = {static_cast<float>((updated_ ? largest_ : 1.0) + eps_)};
        to_weights(newest);
        for (auto back = static_cast<std::uint32_t>(std::min<std::uint64_t>(fresh, slots_)); back > 0; --back) {
            for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
                const std::uint32_t held = buffer.size_of(lane);
                if (back <= held) {
                    put(buffer.at(lane, held - back), newest[0]);
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

    void begin(const tenon::Transitions& buffer) {
        const std::uint64_t items = std::uint64_t{buffer.slots()} * buffer.lanes();
        if (items > std::numeric_limits<std::uint32_t>::max()) {
            throw tenon::InvalidArgument("a prioritised buffer can hold at most 4294967295 frames");
        }
        slots_ = buffer.slots();
        lanes_ = buffer.lanes();
        seen_ = 0;
        held_.assign(lanes_, 0);
        tree_.resize(static_cast<std::size_t>(items));
    }

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

    void put(tenon::SlotLane at, float weight) {
        if (items_.size() >= kAtOnce) {
            tree_.set(items_, weights_);
            items_.clear();
            weights_.clear();
        }
        items_.push_back(item(at));
        weights_.push_back(weight);
    }

    [[nodiscard]] std::uint32_t item(tenon::SlotLane at) const { return at.slot * lanes_ + at.lane; }
    // part: 2^64 / lanes_, rounded up; its product with an item gives exactly the slot (Lemire, Kaser and Kurz 2019).
    [[nodiscard]] tenon::SlotLane place(std::uint32_t item, std::uint64_t part) const {
        __extension__ using Product = unsigned __int128;
        const auto slot = lanes_ == 1 ? item : static_cast<std::uint32_t>(static_cast<Product>(part) * item >> 64);
        return {slot, item - slot * lanes_};
    }

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
    std::uint32_t steps_ = 1;
    bool square_ = false;

    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
    std::uint64_t seen_ = 0;  // steps of the buffer that the tree contains
    double largest_ = 0;      // of the priorities given by updates
    bool updated_ = false;
    std::vector<std::uint8_t> held_;  // by lane: whether it holds any
    SumTree tree_;                    // item slot * lanes + lane

    std::vector<double> shares_;
    std::vector<std::uint32_t> items_;
    std::vector<float> weights_;

public:
    static constexpr auto options = std::tuple{
        tenon::option<&Prioritised::alpha_>("alpha", 0.6, "[0,10]", "exponent of the priorities: 0 samples uniformly"),
        tenon::live<&Prioritised::beta_>("beta", 0.4, "[0,1]",
                                         "exponent of the importance weights: 1 corrects the sampling fully"),
        tenon::option<&Prioritised::eps_>("eps", 1e-8, "(0,1]", "added to every priority"),
        tenon::option<&Prioritised::kind_>("priority", "abs", "abs|square",
                                           "a row's priority is the number that the objective gives (mostly the "
                                           "distance of a value from its target): its absolute value or its square"),
        tenon::option<&Prioritised::steps_>("n_step", 1, "[1,1000]",
                                            "consecutive steps of an episode in a row (n-step)")};
};
