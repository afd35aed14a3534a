// SPDX-License-Identifier: Apache-2.0
#include "commands/play/controls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/data/dtype.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

struct Pair {
    std::string_view less, more;
};
// The keys for the first number, the second, and so on.
constexpr auto kPairs = std::to_array<Pair>(
    {{"left", "right"}, {"down", "up"}, {"a", "d"}, {"s", "w"}, {"f", "h"}, {"g", "t"}, {"j", "l"}, {"k", "i"}});
constexpr double kDigits = 10;

bool is_whole(const Spec& spec) {
    return spec.kind != SpecKind::kBounded && spec.kind != SpecKind::kUnbounded;
}

// The largest value of an element of a choice; for flags 1.
double last_choice(const Spec& spec, std::size_t element) {
    if (spec.kind == SpecKind::kBinary) {
        return 1;
    }
    return static_cast<double>(spec.categories[spec.categories.size() == 1 ? 0 : element % spec.categories.size()] - 1);
}

void put(const Spec& spec, void* row, std::size_t element, double value) {
    with_element(spec.dtype, [&]<class T>(T /*zero*/) { static_cast<T*>(row)[element] = static_cast<T>(value); });
}

// The name of a letter key's other key, if a person may use either.
std::string_view alias(std::string_view key) {
    constexpr auto kLetters = std::to_array<std::pair<std::string_view, std::string_view>>(
        {{"a", "left"}, {"d", "right"}, {"s", "down"}, {"w", "up"}});
    const auto* const found = std::ranges::find(kLetters, key, [](const auto& each) { return each.first; });
    return found == kLetters.end() ? key : found->second;
}

}  // namespace

Result<Controls> Controls::make(const Composite& specs, const std::string& who) {
    Controls out;
    out.masks_ = action_masks(specs);
    for (const Spec& spec : specs.specs) {
        if (spec.role != Role::kAction) {
            continue;
        }
        const std::size_t column = out.actions_.size();
        out.actions_.push_back(spec);
        const bool single = spec.kind == SpecKind::kCategorical || spec.kind == SpecKind::kOneHot;
        const auto elements = single ? std::size_t{1} : static_cast<std::size_t>(spec.shape.elements());
        for (std::size_t i = 0; i < elements; ++i) {
            Knob knob{.column = column, .element = i};
            if (is_whole(spec)) {
                knob.high = last_choice(spec, i);
            } else {
                constexpr double kUnbounded = 1e6;
                knob.low = std::max(spec.kind == SpecKind::kBounded ? spec.low_of(i) : -kUnbounded, -kUnbounded);
                knob.high = std::min(spec.kind == SpecKind::kBounded ? spec.high_of(i) : kUnbounded, kUnbounded);
                const bool is_bounded = knob.low > -kUnbounded && knob.high < kUnbounded;
                knob.step = is_bounded ? (knob.high - knob.low) / kDigits : 1 / kDigits;
                knob.neutral = std::clamp(0.0, knob.low, knob.high);
            }
            out.knobs_.push_back(knob);
        }
    }
    if (out.knobs_.size() > kPairs.size()) {
        return input_problem("no person can play " + who + ": its actions have " +
                             counted(out.knobs_.size(), "number") + ", and keys control " +
                             std::to_string(kPairs.size()));
    }
    out.is_choice_ = out.knobs_.size() == 1 && is_whole(out.actions_[0]);
    if (out.is_choice_ && out.knobs_[0].high == 2) {
        out.knobs_[0].neutral = 1;  // left, nothing, right
    }
    for (Knob& knob : out.knobs_) {
        knob.value = knob.neutral;
    }
    return out;
}

bool Controls::press(std::string_view key) {
    if (key == "space") {
        for (Knob& knob : knobs_) {
            knob.value = knob.neutral;
        }
        return true;
    }
    if (is_choice_) {
        Knob& choice = knobs_[0];
        if (key.size() == 1 && key[0] >= '0' && key[0] <= '9') {
            const double digit = key[0] - '0';
            choice.value = digit <= choice.high ? digit : choice.value;
            return digit <= choice.high;
        }
    }
    key = knobs_.size() <= 2 ? alias(key) : key;
    if (knobs_.size() == 1) {
        key = key == "down" ? "left" : key == "up" ? "right" : key;
    }
    for (std::size_t i = 0; i < knobs_.size(); ++i) {
        const double way = key == kPairs[i].more ? 1 : key == kPairs[i].less ? -1 : 0;
        if (way == 0) {
            continue;
        }
        Knob& knob = knobs_[i];
        if (is_choice_ && knob.high <= 2) {
            knob.value = way > 0 ? knob.high : knob.low;
        } else {
            knob.value = std::clamp(knob.value + way * knob.step, knob.low, knob.high);
            knob.value = std::abs(knob.value) < knob.step / 2 && knob.step < 1 ? 0 : knob.value;  // not 2.8e-17
        }
        return true;
    }
    return false;
}

void Controls::write(const Storage& storage) const {
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        for (const Knob& knob : knobs_) {
            const Spec& spec = actions_[knob.column];
            void* const row = row_at(storage.find(spec.key)->view, storage.head(), lane);
            if (spec.kind == SpecKind::kOneHot) {
                for (std::size_t i = 0; i < static_cast<std::size_t>(knob.high) + 1; ++i) {
                    put(spec, row, i, static_cast<double>(i) == knob.value ? 1 : 0);
                }
            } else {
                put(spec, row, knob.element, knob.value);
            }
        }
    }
}

bool Controls::is_allowed(const Storage& storage) const {
    return std::ranges::all_of(masks_, [&](const ActionMask& mask) {
        const auto* allowed = static_cast<const std::uint8_t*>(row_at(storage.find(mask.key)->view, storage.head(), 0));
        std::size_t part = 0;
        for (const Knob& knob : knobs_) {
            if (actions_[knob.column].key != mask.action) {
                continue;
            }
            if (allowed[static_cast<std::size_t>(knob.value)] == 0) {
                return false;
            }
            allowed += mask.parts[part++ % mask.parts.size()];  // of one agent after the other
        }
        return true;
    });
}

bool Controls::has_choice(const Storage& storage) const {
    return masks_.empty() || std::ranges::any_of(masks_, [&](const ActionMask& mask) {
               const auto* const allowed =
                   static_cast<const std::uint8_t*>(row_at(storage.find(mask.key)->view, storage.head(), 0));
               const std::size_t choices = mask.agents * mask.parts.size();
               return static_cast<std::size_t>(std::count(allowed, allowed + mask.size(), 1)) > choices;
           });
}

std::string Controls::keys() const {
    if (is_choice_) {
        const double last = knobs_[0].high;
        const std::string digits = last < kDigits ? "digits choose, " : "";
        return last == 1   ? "left: 0, right: 1"
               : last == 2 ? "left: 0, space: 1, right: 2"
                           : digits + "left and right go to the next of 0 to " + std::to_string(static_cast<int>(last));
    }
    std::string out;
    for (std::size_t i = 0; i < knobs_.size(); ++i) {
        out += std::string(kPairs[i].less) + "/" + std::string(kPairs[i].more) + ": number " + std::to_string(i + 1) +
               ", ";
    }
    return out + "space: none";
}

std::string Controls::now() const {
    std::ostringstream out;
    out.precision(3);
    out << "action:";
    for (const Knob& knob : knobs_) {
        out << ' ' << knob.value;
    }
    return out.str();
}

}  // namespace tenon
