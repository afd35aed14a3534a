// SPDX-License-Identifier: Apache-2.0
// The actors and the critic of the third Dreamer (Hafner et al. 2023, arXiv 2301.04104). They read the features of
// world/rssm3.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "layers3.hpp"
#include "tenon/actor.hpp"
#include "tenon/heads/categorical.hpp"
#include "tenon/heads/suited.hpp"
#include "tenon/heads/truncated_normal.hpp"
#include "tenon/options.hpp"
#include "two_hot.hpp"

namespace world {

struct Body3 {
    std::int64_t hidden = 64;
    std::int64_t layers = 2;
    std::vector<std::string> in;

    [[nodiscard]] Value out(const Graph& g, std::int64_t width, double scale) const {
        std::vector<Value> columns;
        for (const std::string& key : in) {
            columns.push_back(g.batch()[key.c_str()]);
        }
        return dense3(g, "out", layers3(g, "body", tenon::join(columns), layers, hidden), width, scale);
    }

    static constexpr auto options =
        std::tuple{tenon::option<&Body3::hidden>("hidden", 64, "[1,1000000]", "size of each hidden layer"),
                   tenon::option<&Body3::layers>("layers", 2, "[0,64]", "hidden layers"),
                   tenon::option<&Body3::in>("in", {"world.features"}, "", "the columns it reads, concatenated")};
};

// A normal distribution for each element, cut off at its bounds, with a deviation between a twentieth and half of their
// distance.
struct BoundedNormal : Body3 {
    [[nodiscard]] tenon::TruncatedNormal head(const Graph& g) const {
        const tn_spec* const action = g.spec("action");
        if (action == nullptr) {
            return {};
        }
        if (!tenon::has_finite_bounds(*action) || action->rank != 1) {
            throw tenon::InvalidArgument(std::string("it draws rows of bounded numbers; this is ") +
                                         tenon::suited(*action).kind);
        }
        const std::int64_t n = action->shape[0];
        const Value both = out(g, 2 * n, 0.01);
        const tenon::ActionBounds bounds = tenon::bounds_of(*action);
        const Value share = 0.1 + 0.9 * sigmoid(slice(both, n, n) + 2);
        return {bounds.squash(slice(both, 0, n)), share * bounds.half(), bounds};
    }
};

// A categorical distribution, mixed with a uniform one (unimix).
struct Choice : Body3 {
    double unimix = 0.01;

    [[nodiscard]] tenon::Categorical head(const Graph& g) const {
        const tn_spec* const action = g.spec("action");
        if (action == nullptr) {
            return {};
        }
        if (action->kind != TN_SPEC_CATEGORICAL || action->rank != 0) {
            throw tenon::InvalidArgument(std::string("it draws one of several categories; this is ") +
                                         tenon::suited(*action).kind);
        }
        const std::int64_t n = action->categories[0];
        return {log((1 - unimix) * softmax(out(g, n, 0.01)) + unimix / static_cast<double>(n))};
    }

    static constexpr auto options = std::tuple_cat(
        Body3::options, std::tuple{tenon::option<&Choice::unimix>(
                            "unimix", 0.01, "[0,1)", "share of the probability that all categories have alike")});
};

// The value of a state, as probabilities of numbers between which it lies.
struct TwoHotValue : Body3 {
    std::int64_t bins = 255;

    [[nodiscard]] Value value(const Graph& g) const { return two_hot().decoded(logits(g)); }
    // The cross-entropy of a return.
    [[nodiscard]] Value error(const Graph& g, Value number) const { return two_hot().error(logits(g), number); }

    static constexpr auto options =
        std::tuple_cat(Body3::options, std::tuple{tenon::option<&TwoHotValue::bins>(
                                           "bins", 255, "[3,10001]", "numbers among which a value is shared; odd")});
    static constexpr auto functions = std::tuple{tenon::function<&TwoHotValue::value>("value", "", "value"),
                                                 tenon::function<&TwoHotValue::error>("error", "return", "error")};

private:
    [[nodiscard]] Value logits(const Graph& g) const { return out(g, bins, 0); }
    [[nodiscard]] TwoHot two_hot() const {
        const TwoHot made{bins};
        made.check();
        return made;
    }
};

}  // namespace world
