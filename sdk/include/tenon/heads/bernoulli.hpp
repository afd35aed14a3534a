// SPDX-License-Identifier: Apache-2.0
// Independent binary choices, one per element.
#pragma once

#include <array>
#include <source_location>

#include "tenon/heads/stored.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Computes logarithms of probabilities directly: log p = -softplus(-logit), log(1 - p) = -softplus(logit), which are
// accurate for logits of any size.
struct Bernoulli {
    Value logits;                                               // [.., n], of the value 1
    const char* kind = "bool";                                  // type of the action's elements, see kind_of
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] Value log_prob(In action) const {
        return detail::CalledFrom(at), -sum(softplus(where(ne(action, 0), -logits, logits)));
    }
    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), cast(logits > 0, kind); }
    [[nodiscard]] Value mean() const { return detail::CalledFrom(at), sigmoid(logits); }
    [[nodiscard]] Value entropy() const {
        const detail::CalledFrom caller(at);
        const Value size = abs(logits);
        return sum(softplus(-size) + size * sigmoid(-size));
    }
    [[nodiscard]] Value kl(const Bernoulli& other) const {
        const detail::CalledFrom caller(at);
        const Value yes = softplus(-other.logits) - softplus(-logits);
        const Value no = softplus(other.logits) - softplus(logits);
        return sum(sigmoid(logits) * yes + sigmoid(-logits) * no);
    }
    [[nodiscard]] Draw sample() const {
        const detail::CalledFrom caller(at);
        const Value action = random_uniform(logits) < sigmoid(logits);
        return {cast(action, kind), log_prob(action)};
    }

    static constexpr std::array kStored = {Stored{"action_logits", &Bernoulli::logits}};
};

}  // namespace TENON_SDK
}  // namespace tenon
