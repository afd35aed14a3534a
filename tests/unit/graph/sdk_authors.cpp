// SPDX-License-Identifier: Apache-2.0
#include "sdk_authors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "made.hpp"
#include "tenon/actor_critic.hpp"
#include "tenon/categories.hpp"
#include "tenon/cells.hpp"
#include "tenon/critics.hpp"
#include "tenon/distributional.hpp"
#include "tenon/estimators.hpp"
#include "tenon/heads.hpp"
#include "tenon/images.hpp"
#include "tenon/members.hpp"
#include "tenon/noisy.hpp"
#include "tenon/norms.hpp"
#include "tenon/smoothed_critics.hpp"
#include "tenon/sorting.hpp"
#include "tenon/spectral.hpp"
#include "tenon/temperature.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

std::map<std::string, unsigned>& lines() {
    static std::map<std::string, unsigned> known;
    return known;
}

void mark(const char* function, unsigned line) {
    lines()[function] = line;
}

struct Numbers {
    void update(const Graph& g) const {
        const Value x = g.batch().next()["reward"];
        const Value products[] = {
            3 * x,
            x * 3L,
            3LL * x,
            x * 3U,
            3UL * x,
            x * 3ULL,
            std::int64_t{3} * x,
            std::size_t{3} * x,
            x * short{3},
            std::int8_t{3} * x,
            3.0F * x,
            x * 3.0,
            3.0L * x,
        };
        for (std::size_t i = 0; i < std::size(products); ++i) {
            g.rows(("loss" + std::to_string(i)).c_str(), products[i]);
        }
        g.rows("one", x + true);
    }
};

struct OneByOne {
    void update(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const Value done = g.batch().next()["done"];
        const Value terminated = g.batch().next()["terminated"];
        g.write("two", concat(x, x));
        g.write("three", concat(x, 2 * x, x));
        g.write("of_a_list", concat(std::vector<tenon::In>{x, x}));
        g.write("eq", x == 0.5);
        g.write("ne", 1 != x);
        g.write("lt", x < 0);
        g.write("and", done && terminated);
        g.write("or", done || g.batch().next()["reward"] > 1);
        g.write("not", !done);
        g.write("sorted", take_along(x, argsort(x)));
    }
};

struct Shapes {
    void update(const Graph& g) const {
        const std::vector<std::int64_t> square{2, 2};
        g.write("square", reshape(g.batch()["observation"], square));
        g.write("row", reshape(g.batch()["observation"], {1, 4}));
        g.write("none", reshape(slice(g.batch()["observation"], 0, 1), {}));
        g.write("state", g.state("seen", square, tenon::zeros()));
        g.write("weight", g.parameter("weight", square, tenon::zeros()));
    }
};

struct AnySize {
    void update(const Graph& g) const {
        const Value x = reshape(g.batch()["observation"], {1, 2, 2});
        const std::vector<std::int64_t> order{-1, -3, -2};
        g.write("permuted", permute(x, order));
        g.write("transposed", transpose(x, -3, -1));
        g.write("sliced", slice(x, 1, 1, -2));
        g.write("joined", tenon::concat({x, x, x}, -3));
        g.write("beside", concat(x, x));
        const Value of_heads = tenon::stack({x, x}, "heads");
        g.write("heads", uncollect(collect(of_heads, "heads"), of_heads));
    }
};

struct AnySizeWrong {
    void update(const Graph& g) const {
        const Value x = reshape(g.batch()["observation"], {2, 2});
        (void)permute(x, {-1, -1});
        (void)slice(x, 0, 1, -3);
        (void)tenon::concat({x, x}, 0);
        (void)tenon::concat({x, reshape(x, {4, 1})}, -1);
        (void)uncollect(x, x);
        (void)uncollect(x, tenon::stack({x, x, x}, "three"));
    }
};

struct AnyCount {
    void update(const Graph& g) const {
        const Value q = g.network("value")(g.batch()).value();
        g.write("least", min_members(q));
        g.write("most", max_members(q));
        g.write("mean", mean_members(q));
        g.write("sum", sum_members(q));
        g.write("all", tenon::members(q));
        g.write("first", squeeze(slice(tenon::members(q, "value"), 0, 1)));
    }
};

struct DerivedMean : tenon::ActorCritic {
    void weigh(const Graph& g) const { g.rows("mean", mean(g.batch()["observation"])); }
};

struct DerivesMean {
    void update(const Graph& g) const { DerivedMean().weigh(g); }
};

struct Filled {
    void update(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const std::vector<std::int64_t> sizes{3};
        g.write("alone", tenon::full({2, 3}, 0.5));
        g.write("no_size", tenon::full({}, 0.5));
        g.write("by_row", tenon::full({2, 3}, 0.5, x));
        g.write("by_flag", tenon::full(sizes, 0.5, g.batch().next()["done"]));
        g.write("of_each", tenon::full({}, 0.5, x));
    }
};

struct Norms {
    void update(const Graph& g) const {
        const Value x = reshape(g.batch()["observation"], {2, 2});
        g.write("layer", tenon::layer_norm(g, "layer", x));
        g.write("renorm", tenon::batch_renorm(g, "renorm", x));
    }
};

struct WrongIndices {
    void update(const Graph& g) const {
        const Value x = g.batch()["observation"];
        (void)take_along(x, g.batch()["choice"]);
        (void)take_along(reshape(x, {2, 2}), g.batch()["choices"]);
        (void)argsort(x, -2);
    }
};

struct GaeInUpdate {
    void update(const Graph& g) const {
        const auto next = g.batch().next();
        const Value v = next["reward"];
        mark("gae in update", __LINE__ + 1);
        g.rows("advantage", tenon::gae(v, v, v, next["terminated"], next["done"], 0.99, 0.95));
    }
};

// Losses, layers and estimators.
void wrong_calls(const Graph& g, Value x, Value r) {
    const Value flag = g.batch().next()["done"];
    const auto init = tenon::default_init(1);
    mark("gae", __LINE__ + 1);
    (void)tenon::gae(r, r, r, flag, flag, 0.9, 0.9);
    mark("td_lambda", __LINE__ + 1);
    (void)tenon::td_lambda(r, r, flag, flag, 0.9, 0.9);
    mark("td0", __LINE__ + 1);
    (void)tenon::td0(r, x, flag, 0.9);
    mark("td1", __LINE__ + 1);
    (void)tenon::td1(r, r, flag, flag, 0.9);
    mark("reward_to_go", __LINE__ + 1);
    (void)tenon::reward_to_go(r, flag, 0.9);
    mark("vtrace", __LINE__ + 1);
    (void)tenon::vtrace(r, r, r, flag, flag, 1, 1, 0.9);
    mark("normalised", __LINE__ + 1);
    (void)tenon::normalised(x);
    mark("project", __LINE__ + 1);
    (void)tenon::project(x, x, r);
    mark("quantile_huber", __LINE__ + 1);
    (void)tenon::quantile_huber(r, x);
    mark("quantile_levels", __LINE__ + 1);
    (void)tenon::quantile_levels(0);
    mark("count_up", __LINE__ + 1);
    (void)tenon::count_up(0);
    mark("full", __LINE__ + 1);
    (void)tenon::full({2, 0}, 1.0);
    mark("full of rows", __LINE__ + 1);
    (void)tenon::full({-1}, 1.0, x);
    mark("join", __LINE__ + 1);
    (void)tenon::join({x, unsqueeze(x)});
    mark("dense", __LINE__ + 1);
    (void)tenon::dense(g, "dense", r, 2, init);
    mark("gru", __LINE__ + 1);
    (void)tenon::gru(g, "gru", r, 2);
    mark("lstm", __LINE__ + 1);
    (void)tenon::lstm(g, "lstm", r, 2);
    mark("layer_norm", __LINE__ + 1);
    (void)tenon::layer_norm(g, "layer", r);
    mark("batch_renorm", __LINE__ + 1);
    (void)tenon::batch_renorm(g, "renorm", r);
    mark("noisy_dense", __LINE__ + 1);
    (void)tenon::noisy_dense(g, "noisy", r, 2, init);
    mark("spectral_dense", __LINE__ + 1);
    (void)tenon::spectral_dense(g, "spectral", r, 2, init);
    mark("conv", __LINE__ + 1);
    (void)tenon::conv(g, "conv", x, {.channels = 2, .kernel = 1}, &tenon::default_init);
    mark("residual", __LINE__ + 1);
    (void)tenon::residual(g, "residual", x, &tenon::default_init);
    mark("convolutions", __LINE__ + 1);
    (void)tenon::convolutions(g, x, tenon::kNature, &tenon::default_init);
    mark("impala", __LINE__ + 1);
    (void)tenon::impala(g, x, std::array<std::int64_t, 1>{2}, &tenon::default_init);
    mark("both", __LINE__ + 1);
    (void)tenon::both(x, r);
    mark("concat", __LINE__ + 1);
    (void)concat(x, r);
    mark("nothing to concat", __LINE__ + 1);
    (void)tenon::concat({});
    mark("sort", __LINE__ + 1);
    (void)tenon::sort(r);
    mark("top_k", __LINE__ + 1);
    (void)tenon::top_k(x, 5);
    const std::int64_t two = 2;
    tn_spec categories{};
    categories.categories = &two;
    categories.category_count = 1;
    mark("categories_one_hot", __LINE__ + 1);
    (void)tenon::categories_one_hot(x, categories);
    mark("scan", __LINE__ + 1);
    (void)tenon::scan({0.0}, {r}, [](std::span<const Value> in) { return std::vector<Value>{in[0]}; });
    mark("fused", __LINE__ + 1);
    (void)tenon::fused<1>("nobody", {x}, {{}});
}

// What objectives have in common.
void wrong_parts(const Graph& g, Value x, Value r) {
    const tenon::ActorCritic actor_critic;
    mark("write_advantage", __LINE__ + 1);
    actor_critic.write_advantage(g, x, x);
    mark("prepare_gae", __LINE__ + 1);
    actor_critic.prepare_gae(g);
    mark("advantage", __LINE__ + 1);
    (void)actor_critic.advantage(g);
    mark("value_rows", __LINE__ + 1);
    actor_critic.value_rows(g);
    mark("entropy_rows", __LINE__ + 1);
    actor_critic.entropy_rows(g, g.network("actor")(g.batch()));
    mark("learn_critics", __LINE__ + 1);
    tenon::SmoothedCritics().learn_critics(g);
    mark("learn", __LINE__ + 1);
    tenon::Temperature().learn(g, r, r);
    mark("aim", __LINE__ + 1);
    tenon::Temperature().aim(g, x, r);
    mark("bootstrapped", __LINE__ + 1);
    (void)tenon::bootstrapped(g, x);
    mark("best_ahead", __LINE__ + 1);
    (void)tenon::best_ahead(g, true);
    mark("critic_rows", __LINE__ + 1);
    (void)tenon::critic_rows(g, "l2", x, r);
}

void wrong_heads(const Graph& g, Value x, Value r) {
    const tenon::ActionBounds bounds{slice(x, 0, 2), slice(x, 2, 2)};
    const Value action = g.batch()["action"];
    mark("Normal", __LINE__ + 1);
    (void)tenon::Normal{x, r}.log_prob(x);
    mark("Categorical", __LINE__ + 1);
    (void)tenon::Categorical{r}.log_prob(action);
    mark("Bernoulli", __LINE__ + 1);
    (void)tenon::Bernoulli{r}.entropy();
    mark("OneHot", __LINE__ + 1);
    (void)tenon::OneHot{r}.entropy();
    mark("MultiCategorical", __LINE__ + 1);
    (void)tenon::MultiCategorical{r}.entropy();
    mark("TanhNormal", __LINE__ + 1);
    (void)tenon::TanhNormal{x, r, bounds}.sample();
    mark("TanhDelta", __LINE__ + 1);
    (void)tenon::TanhDelta{x, bounds}.mode();
    mark("TruncatedNormal", __LINE__ + 1);
    (void)tenon::TruncatedNormal{x, r, bounds}.entropy();
    mark("Hybrid", __LINE__ + 1);
    (void)tenon::Hybrid{r, x, x, r, bounds}.entropy();
    mark("Composite", __LINE__ + 1);
    (void)tenon::Composite{r, {}}.mode();
    mark("by_part", __LINE__ + 1);
    (void)tenon::by_part(r, std::array<std::int64_t, 2>{2, 3});
    mark("positive_scale", __LINE__ + 1);
    (void)tenon::positive_scale(x, r);
    mark("exp_scale", __LINE__ + 1);
    (void)tenon::exp_scale(x, r);
    mark("free_scale", __LINE__ + 1);
    (void)tenon::free_scale(g, "scale", 4, r);
    mark("feature_noise", __LINE__ + 1);
    (void)tenon::feature_noise(g, r, 2, {});
}

struct Mistaken {
    void update(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const Value r = g.batch().next()["reward"];
        wrong_calls(g, x, r);
        wrong_parts(g, x, r);
        wrong_heads(g, x, r);
    }
};

}  // namespace

namespace tenon::test {

Author sdk_author(const char* name) {
    static const std::map<std::string, Author> authors = {
        {"Numbers", made<ObjectiveFunctions<Numbers>>()},
        {"OneByOne", made<ObjectiveFunctions<OneByOne>>()},
        {"AnySize", made<ObjectiveFunctions<AnySize>>()},
        {"AnySizeWrong", made<ObjectiveFunctions<AnySizeWrong>>()},
        {"Shapes", made<ObjectiveFunctions<Shapes>>()},
        {"AnyCount", made<ObjectiveFunctions<AnyCount>>()},
        {"DerivedMean", made<ObjectiveFunctions<DerivesMean>>()},
        {"Filled", made<ObjectiveFunctions<Filled>>()},
        {"Norms", made<ObjectiveFunctions<Norms>>()},
        {"Mistaken", made<ObjectiveFunctions<Mistaken>>()},
        {"WrongIndices", made<ObjectiveFunctions<WrongIndices>>()},
        {"GaeInUpdate", made<ObjectiveFunctions<GaeInUpdate>>()},
    };
    return authors.at(name);
}

const std::map<std::string, unsigned>& mistaken_lines() {
    return lines();
}

}  // namespace tenon::test
