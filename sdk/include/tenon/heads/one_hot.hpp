// SPDX-License-Identifier: Apache-2.0
// One of n categories, as a one-hot vector. Its draws may pass gradients to the logits, for objectives whose critic
// reads the actor's draw: those of the probabilities ("pass_through", Bengio et al. 2013), or of a draw of the relaxed
// distribution at temperature 1 ("relaxed", Jang et al. 2017).
#pragma once

#include <array>
#include <source_location>
#include <string_view>

#include "tenon/heads/categorical.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct OneHot {
    Value logits;                                               // [.., n], as in Categorical
    const char* kind = "bool";                                  // type of the action's elements, see kind_of
    std::source_location at = std::source_location::current();  // where the author made it, for messages
    std::string_view gradient = "none";                         // or "pass_through", "relaxed": of real elements

    [[nodiscard]] Categorical index() const { return {logits}; }
    [[nodiscard]] Value log_probs() const { return detail::CalledFrom(at), index().log_probs(); }
    [[nodiscard]] Value log_prob(In action) const { return detail::CalledFrom(at), index().log_prob(argmax(action)); }
    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), hot(index().mode()); }
    [[nodiscard]] Value mean() const { return detail::CalledFrom(at), softmax(logits); }
    [[nodiscard]] Value entropy() const { return detail::CalledFrom(at), index().entropy(); }
    [[nodiscard]] Value kl(const OneHot& other) const { return detail::CalledFrom(at), index().kl(other.index()); }
    [[nodiscard]] Draw sample() const {
        const detail::CalledFrom caller(at);
        if (gradient == "relaxed") {
            const Value soft = softmax(logits - log(-log(random_uniform(logits))));
            const Value drawn = argmax(soft);
            return {carrying(drawn, soft), index().log_prob(drawn)};
        }
        const Draw drawn = index().sample();
        const bool passes = gradient == "pass_through";
        return {passes ? carrying(drawn.action, softmax(logits)) : hot(drawn.action), drawn.log_prob};
    }

    static constexpr std::array kStored = {Stored{"action_logits", &OneHot::logits}};

private:
    [[nodiscard]] Value hot(Value which) const { return cast(one_hot(which, last_size(logits)), kind); }
    // The one-hot vector, with the gradient of `soft`.
    [[nodiscard]] Value carrying(Value which, Value soft) const { return hot(which) + (soft - stop_gradient(soft)); }
};

}  // namespace TENON_SDK
}  // namespace tenon
