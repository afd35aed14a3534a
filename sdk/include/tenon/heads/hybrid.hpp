// SPDX-License-Identifier: Apache-2.0
// Discrete choices and real numbers in one bounded action: the first elements are integers from finite ranges, the
// others are real. All are independent given the state, so log-probabilities, entropies and divergences add up.
#pragma once

#include <array>
#include <cstdint>
#include <source_location>

#include "tenon/build.hpp"
#include "tenon/heads/multi_categorical.hpp"
#include "tenon/heads/tanh_normal.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Hybrid {
    Value logits;         // [.., choices, n], by_part
    Value loc;            // [.., reals], before squashing
    Value scale;          // [.., reals] or [reals], positive
    Value first;          // the value of the first category of each choice, a number or a vector
    ActionBounds bounds;  // of the real numbers
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] MultiCategorical choices() const { return {logits}; }
    [[nodiscard]] TanhNormal reals() const { return {loc, scale, bounds}; }

    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), joined(choices().mode(), reals().mode()); }
    [[nodiscard]] Draw sample() const {
        const detail::CalledFrom caller(at);
        const Draw chosen = choices().sample();
        const Draw drawn = reals().sample();
        return {joined(chosen.action, drawn.action), chosen.log_prob + drawn.log_prob};
    }
    [[nodiscard]] Value log_prob(In action) const {
        const detail::CalledFrom caller(at);
        const std::int64_t n = sizes_of(logits).empty() ? 1 : sizes_of(logits).front();
        const Value whole = cast(floor(slice(action, 0, n) - first + 0.5), "int");
        return choices().log_prob(whole) + reals().log_prob(slice(action, n, last_size(loc)));
    }
    [[nodiscard]] Value entropy() const { return detail::CalledFrom(at), choices().entropy() + reals().entropy(); }
    [[nodiscard]] Value kl(const Hybrid& other) const {
        return detail::CalledFrom(at), choices().kl(other.choices()) + reals().kl(other.reals());
    }

    static constexpr std::array kStored = {Stored{"action_logits", &Hybrid::logits}, Stored{"action_loc", &Hybrid::loc},
                                           Stored{"action_scale", &Hybrid::scale}};

private:
    [[nodiscard]] Value joined(Value chosen, Value drawn) const {
        return concat({cast(chosen, "real") + first, drawn});
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
