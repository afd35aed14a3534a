// SPDX-License-Identifier: Apache-2.0
// Weights of many items: their sum, their minimum, and the item at which the prefix sum exceeds a number. Every node
// has sixteen children, one cache line of floats; prefix sums of up to 256 nodes replace the uppermost levels. Many
// items are looked up or changed at once, level by level, so that the memory latency occurs once per level and not once
// per item. All sums depend only on the weights, whatever the order in which they were set: a tree rebuilt from its
// weights is identical to the bit.
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
    // Sets all weights to 0. At most 2^32 - 1 items.
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
    // The smallest weight above 0; infinite if there is none.
    [[nodiscard]] float smallest() const {
        float out = kNone;
        for (std::size_t line = 0; !levels_.empty() && line < levels_.back().least.size(); ++line) {
            out = std::min(out, least(levels_.back().least[line]));
        }
        return out;
    }

    struct Leaf {
        std::uint32_t item = 0;
        float weight = 0;
    };
    // The first item with the largest weight; looks at all of them.
    [[nodiscard]] Leaf largest() const {
        Leaf out;
        for (std::size_t line = 0; line < leaves_.size(); ++line) {
            const float most = *std::max_element(std::begin(leaves_[line].value), std::end(leaves_[line].value));
            if (most > out.weight) {
                const auto* const at = std::find(std::begin(leaves_[line].value), std::end(leaves_[line].value), most);
                out = {static_cast<std::uint32_t>(line * kWide + static_cast<std::size_t>(at - leaves_[line].value)),
                       most};
            }
        }
        return out;
    }

    // If an item occurs twice, its last weight counts. Weights are finite and not negative.
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

    // The items at which the prefix sum exceeds shares[i] of the total, each in [0, 1); overwrites shares. Some weight
    // must be above 0; items of weight 0 are never found.
    void find(std::span<double> shares, std::span<std::uint32_t> items) {
        begin(shares, items);
        for (std::size_t level = levels_.size() - 1; level-- > 0;) {
            descend(levels_[level].sum, level > 0 ? levels_[level - 1].sum.data() : leaves_.data(), shares, items);
        }
        descend(leaves_, nullptr, shares, items);
    }

    // All weights, for saving and for rebuilding the tree.
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
    static constexpr std::size_t kMarked = 4096;  // nodes of a level, up to which each is processed only once
    static constexpr float kNone = std::numeric_limits<float>::infinity();

    struct alignas(64) Line {
        float value[kWide];
    };
    // The nodes of a level, which aggregate their children.
    struct Level {
        std::vector<Line> sum;
        std::vector<Line> least;  // above 0
    };

    // Four at a time, which both compilers translate to the machine's vector instructions.
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

    // For two rows at once: which of four elements contains the mass in their prefix sum; subtracts the sum before it
    // from the mass. Without branches, because they would be unpredictable.
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

    // Prefetches the lines of the next level, if there are any.
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
        if (line.value[at] <= 0) {  // sums are rounded, so a mass near a boundary may be left over at the end
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

    // The nodes of the uppermost level, and the remaining mass in each.
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
            while (nodes[i] > 0 && crown_[nodes[i] + 1] <= crown_[nodes[i]]) {  // a share was rounded up to the total
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

    // Updates the levels above the changed lines of leaves.
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
    std::vector<double> crown_;           // their prefix sums, starting at 0; the last element is the total
    std::vector<std::uint32_t> touched_;  // nodes to be updated
    std::vector<std::uint8_t> marks_;
};
