// SPDX-License-Identifier: Apache-2.0
// Several heads at once, one for each column of an action ("action.move", "action.dial"). They are independent given
// the state, so log-probabilities, entropies and divergences add up. As one action they form the row that the host
// makes of the columns: the elements of all columns, concatenated as real numbers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tenon/heads/bernoulli.hpp"
#include "tenon/heads/categorical.hpp"
#include "tenon/heads/multi_categorical.hpp"
#include "tenon/heads/normal.hpp"
#include "tenon/heads/one_hot.hpp"
#include "tenon/heads/stored.hpp"
#include "tenon/heads/suited.hpp"
#include "tenon/heads/tanh_normal.hpp"
#include "tenon/heads/truncated_normal.hpp"

namespace tenon {
inline namespace TENON_SDK {

// A column of the action and its head: "categorical", "one_hot", "multi_categorical", "bernoulli", "normal",
// "tanh_normal" or "truncated_normal".
struct CompositePart {
    const tn_spec* column;
    std::string head;

    [[nodiscard]] std::int64_t elements() const {
        return std::accumulate(column->shape, column->shape + column->rank, std::int64_t{1}, std::multiplies<>());
    }
    [[nodiscard]] bool is_real() const { return head.ends_with("normal"); }
    [[nodiscard]] bool is_index() const { return head == "categorical" || head == "multi_categorical"; }
    [[nodiscard]] std::span<const std::int64_t> categories() const {
        return {column->categories, column->category_count};
    }
    // The number of logits of a discrete head, or of locations of a continuous one.
    [[nodiscard]] std::int64_t scores() const {
        return is_real() || head == "bernoulli"
                   ? elements()
                   : std::accumulate(categories().begin(), categories().end(), std::int64_t{0});
    }
    // The number of parameters: logits, or locations followed by scales.
    [[nodiscard]] std::int64_t parameters() const { return is_real() ? 2 * scores() : scores(); }

    // Calls visit with the head that these parameters define.
    template <class Visit>
    auto with(Value given, Visit visit) const {
        if (head == "categorical") {
            return visit(Categorical{given});
        }
        if (head == "one_hot") {
            return visit(OneHot{given, "real"});
        }
        if (head == "multi_categorical") {
            return visit(MultiCategorical{by_part(given, categories())});
        }
        if (head == "bernoulli") {
            return visit(Bernoulli{given, "real"});
        }
        const Value loc = slice(given, 0, elements());
        const Value scale = slice(given, elements(), elements());
        if (head == "normal") {
            return visit(Normal{loc, scale});
        }
        return head == "tanh_normal" ? visit(TanhNormal{loc, scale, bounds_of(*column)})
                                     : visit(TruncatedNormal{loc, scale, bounds_of(*column)});
    }
    // Converts the part's action to elements of the row, and back.
    [[nodiscard]] Value to_row(Value action) const {
        const Value real = is_index() ? cast(action, "real") : action;
        return head == "categorical" ? unsqueeze(real) : real;
    }
    [[nodiscard]] Value from_row(Value row) const {
        const Value action = is_index() ? cast(row, "int") : row;
        return head == "categorical" ? squeeze(action) : action;
    }
};

struct Composite {
    Value parameters;  // [.., n], concatenated over the parts
    std::vector<CompositePart> parts;
    bool is_separate = false;                                   // log_prob is [.., parts] rather than their sum
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] Draw sample() const {
        const detail::CalledFrom caller(at);
        std::vector<In> row;
        std::vector<In> log_probs;
        each([&](const CompositePart& part, Value given, std::int64_t /*first*/) {
            const Draw drawn = part.with(given, [](const auto& head) { return head.sample(); });
            row.emplace_back(part.to_row(drawn.action));
            log_probs.emplace_back(unsqueeze(drawn.log_prob));
        });
        return {joined(row), total(log_probs)};
    }
    [[nodiscard]] Value mode() const {
        const detail::CalledFrom caller(at);
        std::vector<In> row;
        each([&](const CompositePart& part, Value given, std::int64_t /*first*/) {
            row.emplace_back(part.to_row(part.with(given, [](const auto& head) { return head.mode(); })));
        });
        return joined(row);
    }
    [[nodiscard]] Value log_prob(In action) const {
        const detail::CalledFrom caller(at);
        std::vector<In> out;
        each([&](const CompositePart& part, Value given, std::int64_t first) {
            const Value its = part.from_row(slice(action, first, part.elements()));
            out.emplace_back(unsqueeze(part.with(given, [&](const auto& head) { return head.log_prob(its); })));
        });
        return total(out);
    }
    [[nodiscard]] Value entropy() const {
        const detail::CalledFrom caller(at);
        std::vector<In> out;
        each([&](const CompositePart& part, Value given, std::int64_t /*first*/) {
            out.emplace_back(unsqueeze(part.with(given, [](const auto& head) { return head.entropy(); })));
        });
        return sum(joined(out));
    }
    [[nodiscard]] Value kl(const Composite& other) const {
        const detail::CalledFrom caller(at);
        std::vector<In> out;
        std::int64_t first = 0;
        each([&](const CompositePart& part, Value given, std::int64_t /*first*/) {
            const Value other_part = slice(other.parameters, first, part.parameters());
            first += part.parameters();
            out.emplace_back(unsqueeze(part.with(given, [&]<class Head>(const Head& head) {
                return part.with(other_part, [&]<class Other>(const Other& its) {
                    if constexpr (std::is_same_v<Head, Other>) {
                        return head.kl(its);
                    } else {
                        return Value{};  // unreachable: both have the type of the part's head
                    }
                });
            })));
        });
        return sum(joined(out));
    }

    static constexpr std::array kStored = {Stored{"action_parameters", &Composite::parameters}};

private:
    // visit(part, its parameters, the index of its first element in the row)
    template <class Visit>
    void each(Visit visit) const {
        std::int64_t parameter = 0;
        std::int64_t element = 0;
        for (const CompositePart& part : parts) {
            visit(part, slice(parameters, parameter, part.parameters()), element);
            parameter += part.parameters();
            element += part.elements();
        }
    }
    [[nodiscard]] static Value joined(const std::vector<In>& values) {
        return values.size() == 1 ? Value{values.front().id} : concat(values);
    }
    [[nodiscard]] Value total(const std::vector<In>& log_probs) const {
        return is_separate ? joined(log_probs) : sum(joined(log_probs));
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
