// SPDX-License-Identifier: Apache-2.0
// One of n categories, as its index. Over logits in which only_allowed has struck out what is forbidden, it is the
// distribution over the others.
#pragma once

#include <array>

#include "tenon/heads/mask.hpp"
#include "tenon/heads/stored.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Categorical {
    Value logits;  // [.., n]

    [[nodiscard]] Value log_probs() const { return log_softmax(logits); }  // of all categories
    [[nodiscard]] Value log_prob(In action) const { return gather(log_probs(), action); }
    [[nodiscard]] Value mode() const { return argmax(logits); }
    [[nodiscard]] Value entropy() const { return -sum(softmax(logits) * log_probs()); }
    // From this one to another: 0 where they are the same.
    [[nodiscard]] Value kl(const Categorical& other) const {
        return sum(softmax(logits) * (log_probs() - other.log_probs()));
    }
    // By the Gumbel maximum: the largest of logits + g, with g independent standard Gumbel numbers.
    [[nodiscard]] Value draw() const { return argmax(logits - log(-log(random_uniform(logits)))); }
    [[nodiscard]] Draw sample() const {
        const Value action = draw();
        return {action, log_prob(action)};
    }

    static constexpr std::array kStored = {Stored{"action_logits", &Categorical::logits}};
};

}  // namespace TENON_SDK
}  // namespace tenon
