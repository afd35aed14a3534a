// SPDX-License-Identifier: Apache-2.0
// One of n categories, as a one-hot vector.
#pragma once

#include <array>
#include <source_location>

#include "tenon/heads/categorical.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct OneHot {
    Value logits;                                               // [.., n], as in Categorical
    const char* kind = "bool";                                  // type of the action's elements, see kind_of
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] Categorical index() const { return {logits}; }
    [[nodiscard]] Value log_probs() const { return detail::CalledFrom(at), index().log_probs(); }
    [[nodiscard]] Value log_prob(In action) const { return detail::CalledFrom(at), index().log_prob(argmax(action)); }
    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), hot(index().mode()); }
    [[nodiscard]] Value mean() const { return detail::CalledFrom(at), softmax(logits); }
    [[nodiscard]] Value entropy() const { return detail::CalledFrom(at), index().entropy(); }
    [[nodiscard]] Value kl(const OneHot& other) const { return detail::CalledFrom(at), index().kl(other.index()); }
    [[nodiscard]] Draw sample() const {
        const detail::CalledFrom caller(at);
        const Draw drawn = index().sample();
        return {hot(drawn.action), drawn.log_prob};
    }

    static constexpr std::array kStored = {Stored{"action_logits", &OneHot::logits}};

private:
    [[nodiscard]] Value hot(Value which) const { return cast(one_hot(which, last_size(logits)), kind); }
};

}  // namespace TENON_SDK
}  // namespace tenon
