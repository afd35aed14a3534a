// SPDX-License-Identifier: Apache-2.0
// Which tokens of an answer count, and how their losses become one number per answer.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "tenon/build.hpp"
#include "tenon/nets.hpp"
#include "tenon/options.hpp"
#include "tenon/text.hpp"

namespace language {

using tenon::Value;

// Numbers of tokens as [.., tokens]; a policy that does not list its tokens has one.
inline Value by_token(Value numbers) {
    return tenon::sizes_of(numbers).empty() ? unsqueeze(numbers) : numbers;
}

struct Tokens {
    std::int64_t stop = -1;
    std::string aggregate;
    std::string length_of;

    // 1 for each token up to the first that ends the answer, 0 for those after it; [.., tokens].
    [[nodiscard]] Value counts(Value answer, Value like) const {
        if (stop < 0) {
            return stop_gradient(like) * 0 + 1;
        }
        const Value ends = where(answer == static_cast<double>(stop), 1.0, 0.0);
        return where(cumsum(ends) - ends < 0.5, 1.0, 0.0);
    }

    // The same for the answers of a column. If it is a text, or if an option names one, a column says how long they
    // are.
    [[nodiscard]] Value counts_of(const tenon::Graph& g, const std::string& column, Value like) const {
        check_stop(g, column);
        const std::string lengths = length_of.empty() ? tenon::length_key(g, column) : length_of;
        if (lengths.empty()) {
            return counts(g.batch()[column.c_str()], like);
        }
        const Value places = tenon::count_up(tenon::last_size(like));
        return where(places < unsqueeze(cast(g.batch()[lengths.c_str()], "real")), 1.0, 0.0);
    }

    void check_stop(const tenon::Graph& g, const std::string& column) const {
        const tn_spec* const spec = g.spec(column.c_str(), true);
        if (spec != nullptr && spec->category_count > 0 && stop >= spec->categories[0]) {
            throw tenon::InvalidArgument("stop is " + std::to_string(stop) + ", but the tokens of '" + column +
                                         "' are 0 to " + std::to_string(spec->categories[0] - 1));
        }
    }

    // One loss per answer from those of its tokens. The mean over answers, which the host takes, is a mean over all
    // tokens, over answers of equal weight, or over answers that may be as long as the longest (Liu et al. 2025, arXiv
    // 2503.20783). `weight` is one number per answer.
    [[nodiscard]] Value of_answer(Value losses, Value counted, Value weight) const {
        return of_total(sum(losses * counted), sum(counted), tenon::last_size(losses), weight);
    }

    // The same of the sum over the tokens that count, their number, and the longest length.
    [[nodiscard]] Value of_total(Value total, Value length, std::int64_t longest, Value weight) const {
        const auto shared = [](Value of) { return max(mean_rows(of), 1e-12); };
        if (aggregate == "token_mean") {
            return total * weight / shared(length * weight);
        }
        const Value each = aggregate == "answer_mean" ? total / max(length, 1.0) : total / static_cast<double>(longest);
        return each * weight / shared(weight);
    }

    // With this default.
    static consteval auto token_options(std::string_view standard) {
        return std::tuple{
            tenon::option<&Tokens::stop>("stop", -1, "[-1,inf)",
                                         "token that ends an answer, as the policy has it; later ones do not count"),
            tenon::option<&Tokens::aggregate>("aggregate", standard, "token_mean|answer_mean|longest",
                                              "the mean over all tokens of the batch; over answers, each the mean of "
                                              "its tokens; or over answers, each divided by the longest length"),
            tenon::option<&Tokens::length_of>(
                "length", "", "",
                "the column with the number of tokens of an answer that count; empty: that of a text, "
                "otherwise all, or those up to the stop token")};
    }
};

}  // namespace language
