// SPDX-License-Identifier: Apache-2.0
// Independent yes or no, one an element.
#pragma once

#include <array>

#include "tenon/heads/stored.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Probabilities are never formed where their logarithm is wanted: log p = -softplus(-logit), log(1 - p) =
// -softplus(logit), exact however large the logit.
struct Bernoulli {
    Value logits;               // [.., n], of yes
    const char* kind = "bool";  // of the action's elements, see kind_of

    [[nodiscard]] Value log_prob(In action) const { return -sum(softplus(where(ne(action, 0), -logits, logits))); }
    [[nodiscard]] Value mode() const { return cast(logits > 0, kind); }
    [[nodiscard]] Value mean() const { return sigmoid(logits); }
    [[nodiscard]] Value entropy() const {
        const Value size = abs(logits);
        return sum(softplus(-size) + size * sigmoid(-size));
    }
    [[nodiscard]] Value kl(const Bernoulli& other) const {
        const Value yes = softplus(-other.logits) - softplus(-logits);
        const Value no = softplus(other.logits) - softplus(logits);
        return sum(sigmoid(logits) * yes + sigmoid(-logits) * no);
    }
    [[nodiscard]] Draw sample() const {
        const Value action = random_uniform(logits) < sigmoid(logits);
        return {cast(action, kind), log_prob(action)};
    }

    static constexpr std::array kStored = {Stored{"action_logits", &Bernoulli::logits}};
};

}  // namespace TENON_SDK
}  // namespace tenon
