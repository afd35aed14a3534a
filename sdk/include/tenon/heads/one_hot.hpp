// SPDX-License-Identifier: Apache-2.0
// One of n categories, as n elements of which one is 1.
#pragma once

#include <array>

#include "tenon/heads/categorical.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct OneHot {
    Value logits;               // [.., n], as of Categorical
    const char* kind = "bool";  // of the action's elements, see kind_of

    [[nodiscard]] Categorical index() const { return {logits}; }
    [[nodiscard]] Value log_probs() const { return index().log_probs(); }
    [[nodiscard]] Value log_prob(In action) const { return index().log_prob(argmax(action)); }
    [[nodiscard]] Value mode() const { return hot(index().mode()); }
    [[nodiscard]] Value mean() const { return softmax(logits); }
    [[nodiscard]] Value entropy() const { return index().entropy(); }
    [[nodiscard]] Value kl(const OneHot& other) const { return index().kl(other.index()); }
    [[nodiscard]] Draw sample() const {
        const Draw drawn = index().sample();
        return {hot(drawn.action), drawn.log_prob};
    }

    static constexpr std::array kStored = {Stored{"action_logits", &OneHot::logits}};

private:
    [[nodiscard]] Value hot(Value which) const { return cast(one_hot(which, last_size(logits)), kind); }
};

}  // namespace TENON_SDK
}  // namespace tenon
