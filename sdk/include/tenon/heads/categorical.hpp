// SPDX-License-Identifier: Apache-2.0
// One of n categories, as its index. With logits masked by only_allowed, it is the distribution over the allowed
// categories.
#pragma once

#include <array>
#include <source_location>

#include "tenon/heads/mask.hpp"
#include "tenon/heads/stored.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Categorical {
    Value logits;                                               // [.., n]
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    // The log-probabilities of all categories.
    [[nodiscard]] Value log_probs() const { return detail::CalledFrom(at), log_softmax(logits); }
    [[nodiscard]] Value log_prob(In action) const { return detail::CalledFrom(at), gather(log_probs(), action); }
    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), argmax(logits); }
    [[nodiscard]] Value entropy() const { return detail::CalledFrom(at), -sum(softmax(logits) * log_probs()); }
    // KL divergence from this distribution to another.
    [[nodiscard]] Value kl(const Categorical& other) const {
        return detail::CalledFrom(at), sum(softmax(logits) * (log_probs() - other.log_probs()));
    }
    // Draws by the Gumbel-max trick: the argmax of logits + g, with independent standard Gumbel noise g.
    [[nodiscard]] Value draw() const {
        return detail::CalledFrom(at), argmax(logits - log(-log(random_uniform(logits))));
    }
    [[nodiscard]] Draw sample() const {
        const detail::CalledFrom caller(at);
        const Value action = draw();
        return {action, log_prob(action)};
    }

    static constexpr std::array kStored = {Stored{"action_logits", &Categorical::logits}};
};

}  // namespace TENON_SDK
}  // namespace tenon
