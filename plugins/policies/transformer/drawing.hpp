// SPDX-License-Identifier: Apache-2.0
// How a token is drawn from its logits: temperature, the k likeliest tokens (top-k), the likeliest ones that make up a
// share p (top-p, Holtzman et al. 2020), and a token that ends an answer.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "tenon/heads/categorical.hpp"
#include "tenon/options.hpp"
#include "tenon/sorting.hpp"

namespace transformer {

using tenon::Value;

struct Drawing {
    double temperature = 1;
    std::int64_t top_k = 0;
    double top_p = 1;
    std::int64_t stop = -1;

    // The distribution that log-probabilities are of. The choices below leave out tokens only where they are drawn.
    [[nodiscard]] Value tempered(Value logits) const { return temperature == 1 ? logits : logits / temperature; }

    [[nodiscard]] Value draw(Value logits) const { return tenon::Categorical{likeliest(logits)}.draw(); }

    // Which tokens of [.., n] count: all up to the first that ends the answer.
    [[nodiscard]] Value counts(Value tokens) const {
        const Value ends = where(tokens == static_cast<double>(stop), 1.0, 0.0);
        return cumsum(ends) - ends < 0.5;
    }
    [[nodiscard]] bool stops() const { return stop >= 0; }
    void check_stop(std::int64_t tokens) const {
        if (stop >= tokens) {
            throw tenon::InvalidArgument("stop is " + std::to_string(stop) + ", but the tokens of an answer are 0 to " +
                                         std::to_string(tokens - 1));
        }
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Drawing::temperature>("temperature", 1.0, "(0,inf)", "divides the logits; below 1: safer draws"),
        tenon::option<&Drawing::top_k>("top_k", 0, "[0,inf)", "draws only from the k likeliest tokens; 0: from all"),
        tenon::option<&Drawing::top_p>("top_p", 1.0, "(0,1]",
                                       "draws only from the likeliest tokens that together have this probability"),
        tenon::option<&Drawing::stop>("stop", -1, "[-1,inf)",
                                      "token that ends an answer, whose later tokens equal it and do not count; -1: "
                                      "none")};

private:
    [[nodiscard]] Value likeliest(Value logits) const {
        if (top_k > 0 && top_k < tenon::last_size(logits)) {
            const Value least = slice(tenon::top_k(logits, top_k).values, top_k - 1, 1);
            logits = where(logits >= least, logits, tenon::kForbidden);
        }
        if (top_p < 1) {
            const Value sorted = tenon::sort(logits, -1, true).values;
            const Value shares = softmax(sorted);
            const Value kept = where(cumsum(shares) - shares < top_p, sorted, 1e30);
            logits = where(logits >= unsqueeze(min_over(kept)), logits, tenon::kForbidden);
        }
        return logits;
    }
};

}  // namespace transformer
