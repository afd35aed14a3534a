// SPDX-License-Identifier: Apache-2.0
#include "ordered_authors.hpp"

#include <cstdint>
#include <map>
#include <string>

#include "made.hpp"
#include "tenon/distributional.hpp"
#include "tenon/members.hpp"
#include "tenon/objective.hpp"
#include "tenon/sorting.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

// Kuznetsov et al. 2020, eq. 6 to 9: all critics learn the same quantiles, those of their target networks taken
// together but for the largest.
struct Truncated {
    static constexpr std::int64_t kDropped = 2;  // of each critic

    void update(const Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto q = g.network("qvalue");

        const Value best = argmax(mean_members(q.target()(next).values()));
        const Value quantiles = q.target()(next).call<1>("quantiles", {best})[0];
        const Value each = tenon::members(quantiles);  // [B, quantiles, critics]
        const std::int64_t critics = tenon::last_size(each);
        const std::int64_t all = tenon::last_size(quantiles) * critics;
        const Value kept = slice(tenon::sort(reshape(each, {all})).values, 0, all - kDropped * critics);
        const Value discount = g.option("gamma") * (1 - next["terminated"]);
        const Value y = unsqueeze(next["reward"]) + unsqueeze(discount) * kept;

        const Value now = q(batch).call<1>("quantiles", {batch["action"]})[0];
        g.rows("q", tenon::quantile_huber(now, stop_gradient(y)));
        g.metric("kept", batch_mean(mean(kept)));
    }
};

struct WeighsOrder {
    void update(const Graph& g) const {
        const Value x = g.network("net")(g.batch()).call<1>("features", {})[0];  // [B, 6]
        const Value weight = g.batch()["weight"];                                // [B, 6]
        const auto up = tenon::sort(x);
        const auto down = tenon::sort(x, -1, true);
        const auto most = tenon::top_k(x, 3);
        const Value matrix = reshape(x, {3, 2});
        const auto columns = tenon::sort(matrix, -2);
        g.write("x", x);
        g.write("up", up.values);
        g.write("up.indices", cast(up.indices, "real"));
        g.write("down", down.values);
        g.write("most", most.values);
        g.write("most.indices", cast(most.indices, "real"));
        g.write("columns", reshape(columns.values, {6}));
        g.write("weights", take_along(weight, most.indices));
        const Value ranked = sum(up.values * weight) - 2 * sum(down.values * square(weight));
        const Value largest = sum(most.values * take_along(weight, most.indices));
        g.rows("ordered", ranked + largest + sum(reshape(columns.values, {6}) * weight));
    }
};

struct Constants {
    void update(const Graph& g) const {
        const Value x = g.batch()["weight"];  // [B, 6]
        g.write("filled", x * reshape(tenon::full({2, 3}, 0.5), {6}));
        g.write("of_rows", reshape(tenon::full({3, 2}, -2.0, x), {6}));
        g.rows("x", sum(g.network("net")(g.batch()).call<1>("features", {})[0]));
    }
};

}  // namespace

namespace tenon::test {

Author ordered_author(const char* name) {
    static const std::map<std::string, Author> authors = {
        {"Truncated", made<Truncated>()}, {"WeighsOrder", made<WeighsOrder>()}, {"Constants", made<Constants>()}};
    const auto found = authors.find(name);
    return found == authors.end() ? Author{} : found->second;
}

}  // namespace tenon::test
