// SPDX-License-Identifier: Apache-2.0
// Weights of many items: their sum, the smallest of them, and the item at which the running sum passes a number. Every
// node has sixteen children, one cache line of floats; in place of the uppermost levels stand running sums of up to 256
// nodes. Many items are looked up or changed at a time, level by level, so that the memory is waited for once a level
// and not once an item. All sums are functions of the weights alone, whatever the order in which they were set: a tree
// made anew from its weights is the same to the bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "each_machine.hpp"

class SumTree {
public:
    // All weights 0. Fewer than 2^32 items.
    void resize(std::size_t items) {
        items_ = items;
        leaves_.assign(lines_for(items), Line{});
        levels_.clear();
        std::size_t nodes = leaves_.size();
        do {
            Level level{std::vector<Line>(lines_for(nodes)), std::vector<Line>(lines_for(nodes))};
            for (Line& line : level.least) {
                std::fill(std::begin(line.value), std::end(line.value), kNone);
            }
            levels_.push_back(std::move(level));
            top_ = nodes;
            nodes = levels_.back().sum.size();
        } while (top_ > kCrown);
        crown_.assign(kCrown + 1, 0);
        marks_.assign(kMarked, 0);
    }

    [[nodiscard]] std::size_t size() const { return items_; }
    [[nodiscard]] float operator[](std::size_t item) const { return leaves_[item / kWide].value[item % kWide]; }
    [[nodiscard]] double sum() const {
        double out = 0;
        for (std::size_t node = 0; node < top_; ++node) {
            out += levels_.back().sum[node / kWide].value[node % kWide];
        }
        return out;
    }
    // Of those above 0; infinite where there is none.
    [[nodiscard]] float smallest() const {
        float out = kNone;
        for (std::size_t line = 0; !levels_.empty() && line < levels_.back().least.size(); ++line) {
            out = std::min(out, least(levels_.back().least[line]));
        }
        return out;
    }

    // Of an item that is named twice the last weight counts. Weights are finite and from 0 on.
    void set(std::span<const std::uint32_t> items, std::span<const float> weights) {
        touched_.clear();
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::size_t line = items[i] / kWide;
            leaves_[line].value[items[i] % kWide] = weights[i];
            __builtin_prefetch(&levels_[0].least[line / kWide], 1);
            touch(line);
        }
        refresh();
    }

    // The items at which the running sum passes shares[i] of the whole, each from 0 to below 1; shares are used up.
    // There is a weight above 0, and an item without one is never found.
    void find(std::span<double> shares, std::span<std::uint32_t> items) {
        begin(shares, items);
        for (std::size_t level = levels_.size() - 1; level-- > 0;) {
            descend(levels_[level].sum, level > 0 ? levels_[level - 1].sum.data() : leaves_.data(), shares, items);
        }
        descend(leaves_, nullptr, shares, items);
    }

    // All of them, for saving and for making a tree anew.
    [[nodiscard]] std::vector<float> weights() const {
        std::vector<float> out(items_);
        if (!out.empty()) {
            std::memcpy(out.data(), leaves_.data(), out.size() * sizeof(float));
        }
        return out;
    }
    void assign(std::span<const float> weights) {
        resize(weights.size());
        if (!weights.empty()) {
            std::memcpy(leaves_.data(), weights.data(), weights.size() * sizeof(float));
        }
        touched_.clear();
        for (std::size_t node = 0; node < leaves_.size(); ++node) {
            touched_.push_back(static_cast<std::uint32_t>(node));
        }
        refresh();
    }

private:
    static constexpr std::size_t kWide = 16;
    static constexpr std::size_t kCrown = 256;
    static constexpr std::size_t kMarked = 4096;  // nodes of a level, up to which none is worked on twice
    static constexpr float kNone = std::numeric_limits<float>::infinity();

    struct alignas(64) Line {
        float value[kWide];
    };
    // The nodes of a level: what is below each.
    struct Level {
        std::vector<Line> sum;
        std::vector<Line> least;  // above 0
    };

    // Four at a time, which both compilers turn into what the machine has.
    typedef float Four __attribute__((vector_size(16)));
    typedef double Pair __attribute__((vector_size(16)));
    typedef std::int64_t Whole __attribute__((vector_size(16)));
    static Four four(const float* from) {
        Four out;
        std::memcpy(&out, from, sizeof out);
        return out;
    }

    static std::size_t lines_for(std::size_t count) { return std::max<std::size_t>((count + kWide - 1) / kWide, 1); }

    static float total(const Line& line) {
        const Four all = (four(line.value) + four(line.value + 4)) + (four(line.value + 8) + four(line.value + 12));
        return (all[0] + all[1]) + (all[2] + all[3]);
    }
    static float least(const Line& line) {
        return least(four(line.value), four(line.value + 4), four(line.value + 8), four(line.value + 12));
    }
    static float least_above_zero(const Line& line) {
        const auto above = [](Four some) { return some > Four{} ? some : Four{kNone, kNone, kNone, kNone}; };
        return least(above(four(line.value)), above(four(line.value + 4)), above(four(line.value + 8)),
                     above(four(line.value + 12)));
    }
    static float least(Four a, Four b, Four c, Four d) {
        const auto lower = [](Four one, Four other) { return one < other ? one : other; };
        const Four all = lower(lower(a, b), lower(c, d));
        const Four pairs = lower(all, __builtin_shufflevector(all, all, 2, 3, 0, 1));
        return std::min(pairs[0], pairs[1]);
    }

    // The sums of the line's four quarters.
    static Four quarters(const Line& line) {
        const Four a = four(line.value);
        const Four b = four(line.value + 4);
        const Four c = four(line.value + 8);
        const Four d = four(line.value + 12);
        const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
        const Four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
        return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    }

    // Of two rows at once: which of four the running sum of their weights passes the mass at, which loses what was
    // passed. Without branches, which nobody could foretell.
    static Whole pass(Four one, Four other, Pair& mass) {
        const Four low = __builtin_shufflevector(one, other, 0, 4, 1, 5);
        const Four high = __builtin_shufflevector(one, other, 2, 6, 3, 7);
        const Pair first = __builtin_convertvector(__builtin_shufflevector(low, low, 0, 1), Pair);
        const Pair second = __builtin_convertvector(__builtin_shufflevector(low, low, 2, 3), Pair);
        const Pair third = __builtin_convertvector(__builtin_shufflevector(high, high, 0, 1), Pair);
        const Whole past_first = mass >= first;
        const Whole past_second = mass >= first + second;
        const Whole past_third = mass >= first + second + third;
        const auto if_past = [](Whole past, Pair weight) {
            return reinterpret_cast<Pair>(past & reinterpret_cast<Whole>(weight));
        };
        mass -= if_past(past_first, first) + if_past(past_second, second) + if_past(past_third, third);
        return -(past_first + past_second + past_third);
    }

    // The lines below that will be wanted next, if there are any, are fetched meanwhile.
    FOR_EACH_MACHINE static void descend(const std::vector<Line>& lines, const Line* below, std::span<double> masses,
                                         std::span<std::uint32_t> nodes) {
        for (std::size_t i = 0; i < nodes.size(); i += 2) {
            const std::size_t j = std::min(i + 1, nodes.size() - 1);
            const Line& one = lines[nodes[i]];
            const Line& other = lines[nodes[j]];
            Pair mass = {masses[i], masses[j]};
            const Whole quarter = 4 * pass(quarters(one), quarters(other), mass);
            const Whole at = quarter + pass(four(one.value + quarter[0]), four(other.value + quarter[1]), mass);
            settle(one, static_cast<std::size_t>(at[0]), mass[0], masses[i], nodes[i]);
            fetch(below, nodes[i]);
            if (j != i) {
                settle(other, static_cast<std::size_t>(at[1]), mass[1], masses[j], nodes[j]);
                fetch(below, nodes[j]);
            }
        }
    }

    static void fetch(const Line* lines, std::uint32_t node) {
        if (lines != nullptr) {
            __builtin_prefetch(lines + node);
        }
    }

    static void settle(const Line& line, std::size_t at, double left, double& mass, std::uint32_t& node) {
        mass = left;
        if (line.value[at] <= 0) {  // sums are rounded, so that a mass close to one may be left over at its end
            at = nearest_weight(line, at);
            mass = line.value[at];
        }
        node = static_cast<std::uint32_t>(node * kWide + at);
    }

    static std::size_t nearest_weight(const Line& line, std::size_t from) {
        for (std::size_t at = from; at-- > 0;) {
            if (line.value[at] > 0) {
                return at;
            }
        }
        while (from + 1 < kWide && line.value[from] <= 0) {
            ++from;
        }
        return from;
    }

    // The nodes of the uppermost level, and what of the mass is left in each.
    void begin(std::span<double> shares, std::span<std::uint32_t> nodes) {
        crown_[0] = 0;
        for (std::size_t node = 0; node < top_; ++node) {
            crown_[node + 1] = crown_[node] + levels_.back().sum[node / kWide].value[node % kWide];
        }
        std::fill(crown_.begin() + static_cast<std::ptrdiff_t>(top_), crown_.end(), crown_[top_]);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            shares[i] *= crown_[top_];
            nodes[i] = 0;
        }
        for (std::uint32_t step = kCrown / 2; step > 0; step /= 2) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                nodes[i] += step * static_cast<std::uint32_t>(shares[i] >= crown_[nodes[i] + step]);
            }
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            while (nodes[i] > 0 && crown_[nodes[i] + 1] <= crown_[nodes[i]]) {  // a share was rounded up to the whole
                --nodes[i];
                shares[i] = crown_[nodes[i] + 1];
            }
            shares[i] -= crown_[nodes[i]];
        }
    }

    void touch(std::size_t node) {
        if (touched_.empty() || touched_.back() != node) {
            touched_.push_back(static_cast<std::uint32_t>(node));
        }
    }

    // From the touched lines of leaves upwards.
    FOR_EACH_MACHINE void refresh() {
        for (std::size_t height = 0; height < levels_.size(); ++height) {
            Level& above = levels_[height];
            for (const std::uint32_t node : touched_) {
                const Line& line = height == 0 ? leaves_[node] : levels_[height - 1].sum[node];
                above.sum[node / kWide].value[node % kWide] = total(line);
                above.least[node / kWide].value[node % kWide] =
                    height == 0 ? least_above_zero(line) : least(levels_[height - 1].least[node]);
            }
            to_parents(above.sum.size());
        }
    }

    void to_parents(std::size_t nodes) {
        const bool marks = nodes <= kMarked;
        std::size_t kept = 0;
        for (const std::uint32_t node : touched_) {
            const std::uint32_t parent = node / kWide;
            const bool seen = marks ? marks_[parent] != 0 : kept > 0 && touched_[kept - 1] == parent;
            if (!seen) {
                touched_[kept++] = parent;
                if (marks) {
                    marks_[parent] = 1;
                }
            }
        }
        touched_.resize(kept);
        for (std::size_t i = 0; marks && i < kept; ++i) {
            marks_[touched_[i]] = 0;
        }
    }

    std::size_t items_ = 0;
    std::vector<Line> leaves_;
    std::vector<Level> levels_;  // the last has top_ nodes
    std::size_t top_ = 0;
    std::vector<double> crown_;           // their running sums, from 0 on; behind them the sum of all
    std::vector<std::uint32_t> touched_;  // nodes on the way up
    std::vector<std::uint8_t> marks_;
};
