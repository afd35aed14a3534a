// SPDX-License-Identifier: Apache-2.0
// Objectives of an author whose SDK is newer than the host: two that mean the same, one of them by composites that this
// host cannot know, and one that wants a primitive that it has not.
#include <tenon/losses.hpp>
#include <tenon/objective.hpp>
#include <tenon/plugin.hpp>
#include <tenon/region.hpp>

using tenon::Graph;
using tenon::Value;

namespace {

Value error(const Graph& g) {
    const auto batch = g.batch();
    return g.network("qvalue")(batch).q(batch["action"]) - batch.next()["reward"];
}

Value square(std::span<const Value> in) {
    return in[0] * in[0];
}

struct Plain {
    void update(const Graph& g) const { g.rows("q", error(g) * error(g)); }
};

// One name that hosts know, in a revision that they do not, and one name that they do not.
struct Composed {
    void update(const Graph& g) const {
        const Value e = tenon::composite("gae", 99, {error(g)}, [](std::span<const Value> in) { return in[0]; });
        g.rows("q", tenon::composite("square_of_the_future", 1, {e}, square));
    }
};

struct Primitive {
    void update(const Graph& g) const { g.rows("q", tenon::detail::emit("bessel", 2, {error(g)})); }
};

struct Revised {
    void update(const Graph& g) const { g.rows("q", tenon::detail::emit("exp", 9, {error(g)})); }
};

}  // namespace

TENON_PLUGIN("newer", "0.1.0", tenon::objective<Plain>("plain", "the square of an error"),
             tenon::objective<Composed>("composed", "the same as composites"),
             tenon::objective<Primitive>("primitive", "an op of a later host"),
             tenon::objective<Revised>("revised", "a later revision of an op"));
