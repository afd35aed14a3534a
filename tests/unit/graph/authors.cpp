// SPDX-License-Identifier: Apache-2.0
// The authors of the builder's tests: some who get it right, some who do not.
#include "authors.hpp"

#include <map>
#include <string>

#include "made.hpp"
#include "sdk_authors.hpp"
#include "tenon/agents.hpp"
#include "tenon/heads.hpp"
#include "tenon/objective.hpp"
#include "tenon/policy_graph.hpp"
#include "tenon/region.hpp"
#include "tenon/spectral.hpp"

using tenon::Graph;
using tenon::Value;
using tenon::test::made;

namespace {

std::map<std::string, unsigned>& marks() {
    static std::map<std::string, unsigned> known;
    return known;
}

void mark(const char* word, unsigned line) {
    marks()[word] = line;
}

struct Twice {
    void update(const Graph& g) const {
        const Value a = g.batch()["next.reward"] * 2 + 1;
        const Value b = g.batch().next()["reward"] * 2 + 1;
        g.rows("same", a - b);
    }
};

struct Random {
    void update(const Graph& g) const {
        const Value x = g.batch()["next.reward"];
        const Value first = random_normal(x);  // one expression would leave their order to the compiler
        const Value second = random_normal(x);
        g.rows("noise", first + second + random_normal(x, "mine"));
    }
};

// Of a scan and a composite each.
Value running_twice(const Value& x) {
    const auto out = tenon::scan({0.0}, {x}, [](std::span<const Value> in) {
        const Value step = in[0] + 1;
        const Value weighted = in[0] * in[1];
        return std::vector<Value>{step, weighted};
    });
    return tenon::composite("twice", 1, {out[1]}, [](std::span<const Value> in) { return in[0] * 2; });
}

// The same, with the operands added in the one order and in the other, and with something that nobody needs.
struct LeftFirst {
    void prepare(const Graph& g) const {
        const auto next = g.batch().next();
        const Value left = running_twice(next["reward"]);
        const Value right = running_twice(next["reward"] * 3);
        g.write("difference", left - right);
    }
    void update(const Graph&) const {}
};

struct RightFirst {
    void prepare(const Graph& g) const {
        const auto next = g.batch().next();
        static_cast<void>(running_twice(next["reward"] * 5));
        const Value right = running_twice(next["reward"] * 3);
        const Value left = running_twice(next["reward"]);
        g.write("difference", left - right);
    }
    void update(const Graph&) const {}
};

struct Returns {
    void prepare(const Graph& g) const {
        const auto out = tenon::scan({0.0}, {g.batch().next()["reward"]}, [](std::span<const Value> in) {
            const Value total = in[0] * 0.5 + in[1];
            return std::vector<Value>{total};
        });
        g.write("total", out[0]);
    }
    void update(const Graph&) const {}
};

struct LiftedOut {
    void prepare(const Graph& g) const {
        const auto next = g.batch().next();
        const Value outside = at_time(next["done"], 0);
        const auto out = tenon::scan({at_time(next["reward"], 0)}, {}, [&](std::span<const Value> in) {
            return std::vector<Value>{in[0] + cast(outside, "real") * 3};
        });
        g.write("x", out[0]);
    }
    void update(const Graph&) const {}
};

struct WrongColumn {
    void update(const Graph& g) const {
        mark("advantge", __LINE__ + 1);
        const Value x = g.batch()["advantge"];
        g.rows("policy", -x * g.batch().next()["reward"]);
        g.metric("again", batch_mean(x));
    }
};

struct Ranks {
    void update(const Graph& g) const {
        mark("ranks", __LINE__ + 1);
        const Value advantage = g.batch().next()["reward"];
        const Value value = unsqueeze(advantage * 2);
        g.rows("policy", sum(advantage * value));
    }
};

struct Critic {
    [[nodiscard]] Value value(const Graph& g) const {
        return squeeze(dense(g, "0", g.batch()["observation"], 1, tenon::default_init(4)));
    }
    static constexpr auto functions = std::tuple{tenon::function<&Critic::value>("value", "", "value")};
};

struct Spectral {
    [[nodiscard]] Value value(const Graph& g) const {
        return squeeze(tenon::spectral_dense(g, "0", g.batch()["observation"], 1, tenon::default_init(4)));
    }
    static constexpr auto functions = std::tuple{tenon::function<&Spectral::value>("value", "", "value")};
};

// Where a network that has a state is called: live at both times and as its target.
struct CallsEverywhere {
    void update(const Graph& g) const {
        const auto value = g.network("value");
        const auto batch = g.batch();
        g.rows("value", value(batch).value() + value(batch.next()).value() - value.target()(batch.next()).value());
    }
};

struct ThreeInputs {
    void update(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const Value two = slice(x, 0, 2);
        const Value three = slice(x, 0, 3);
        g.rows("x", sum(clamp(1.0, two, three)));
        g.rows("y", sum(tenon::concat({two, three, unsqueeze(three)})));
    }
};

struct WrongAttention {
    void update(const Graph& g) const {
        const auto rows = [&](const char* name, std::int64_t count, std::int64_t width) {
            return g.parameter(name, {count, width}, tenon::zeros());
        };
        const Value query = rows("query", 3, 8);
        const Value key = rows("key", 5, 8);
        const Value value = rows("value", 5, 6);
        const Value few = rows("few", 4, 6);
        const Value allowed = key > 0;
        tenon::attention(g.batch()["observation"], key, value);
        tenon::attention(query, key, value, 4);
        tenon::attention(value, key, value, 2);
        tenon::attention(query, key, few, 2);
        tenon::attention(query, key, value, allowed, 2);
        tenon::attention(query, key, value, 0);
        tenon::attention(query, key, value, 2, 0, 4);
        tenon::attention(query, key, value, 2, 1, -1);
    }
};

struct WrongImages {
    void update(const Graph& g) const {
        const Value image = tenon::reshape(g.batch()["observation"], {1, 2, 2});
        const auto filter = [&](const char* name, std::initializer_list<std::int64_t> shape) {
            return g.parameter(name, shape, tenon::zeros());
        };
        const Value fits = filter("fits", {8, 1, 2, 2});
        conv2d(g.batch()["observation"], fits);
        conv2d(image, filter("wide", {8, 1, 3, 3}));
        conv2d(image, filter("wider", {8, 1, 5, 3}), 1, 1);
        conv2d(image, filter("deep", {8, 3, 2, 2}));
        conv2d(image, filter("flat", {8, 4}));
        conv2d(image, fits, filter("bias", {4}));
        conv2d(image, fits, 0);
        conv_transpose2d(g.batch()["observation"], fits);
        conv_transpose2d(image, fits);
        conv_transpose2d(image, filter("flat_too", {1, 8}));
        conv_transpose2d(image, filter("narrow", {1, 8, 2, 2}), filter("no_bias", {4}));
        conv_transpose2d(image, filter("outside", {1, 8, 2, 2}), 1, 2);
        max_pool2d(image, 3, 2);
        max_pool2d(image, 2, 2, 2);
        max_pool2d(g.batch()["observation"], 2, 2);
    }
};

struct WrongCritic {
    [[nodiscard]] Value head(const Graph& g) const { return squeeze(g.batch()["observation"]); }
    [[nodiscard]] Value value(const Graph& g) const { return head(g); }
    [[nodiscard]] Value values(const Graph& g) const { return head(g); }
    [[nodiscard]] Value mode(const Graph& /*g*/) const { throw tenon::InvalidArgument("it has no action"); }
    static constexpr auto functions = std::tuple{tenon::function<&WrongCritic::value>("value", "", "value"),
                                                 tenon::function<&WrongCritic::values>("values", "", "values"),
                                                 tenon::function<&WrongCritic::mode>("mode", "", "action")};
};

struct CallsTwice {
    void update(const Graph& g) const {
        for (const char* role : {"value", "other"}) {
            const auto now = g.network(role)(g.batch());
            const auto next = g.network(role)(g.batch().next());
            g.rows("a", now.value() - next.value() + sum(now.values()));
            g.rows("b", now.mode() + next.mode());
        }
    }
};

struct Calls {
    void update(const Graph& g) const {
        const auto batch = g.batch();
        g.rows("a", g.network("actor")(batch).value());
        g.rows("b", g.network("value")(batch).entropy());
        g.rows("c", g.network("value")(batch).call<1>("value", {1.0})[0]);
        g.rows("critc.d", g.network("value")(batch).value());
    }
};

struct WrongSlab {
    void update(const Graph& g) const {
        g.rows("known", g.network("value").reference()(g.batch()).value() + g.network("value")(g.batch()).value());
        mark("behaviour", __LINE__ + 1);
        g.rows("unknown", tenon::Bound("value", "behaviour", "", "", "").value());
    }
};

struct ManyMistakes {
    void update(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const Value wide = tenon::concat({x, x});
        g.rows("x", sum(x + wide));
        g.rows("y", wide);
        g.rows("z", gather(x, g.batch().next()["reward"]));
        (void)squeeze(x);
        (void)g.option("gama");
        (void)g.parameter("w", {0}, tenon::zeros());
    }
};

// Several draws a row, two batches in one pass, members by number and by rank.
struct Dimensions {
    void update(const Graph& g) const {
        const auto batch = g.batch();
        const Value x = batch["observation"];
        const Value noise = random_normal(tenon::spread(x, "draws", 3));
        g.rows("draws", logsumexp(collect(sum(noise + x), "draws")));
        const auto v = g.network("value");
        const Value values = v(batch.with(batch.next())).value();
        g.rows("now", pick(pick(values, 0, "both"), 1));
        g.rows("next", min_members(pick(values, 1, "both")));
        const Value all = v.eval()(batch).value();
        g.rows("subset", min_members(where(least_members(batch_mean(all), 2), all, 1e30)));
        g.rows("by_hand", pick(tenon::both(batch.next()["reward"], 0.5), 0));
    }
};

struct ModeCritic {
    [[nodiscard]] Value value(const Graph& g) const {
        const Value x = squeeze(dense(g, "0", g.batch()["observation"], 1, tenon::default_init(4)));
        return g.training() ? x * 2 : x;
    }
    static constexpr auto functions = std::tuple{tenon::function<&ModeCritic::value>("value", "", "value")};
};

struct WrongDimensions {
    void update(const Graph& g) const {
        const auto batch = g.batch();
        const Value x = batch["observation"];
        const Value spread = tenon::spread(x, "draws", 3);
        (void)tenon::spread(x, "draws", 4);
        (void)tenon::spread(spread, "draws", 3);
        (void)pick(spread, 3);
        (void)pick(spread, 0, "members");
        (void)collect(x);
        (void)tenon::stack({x, batch.next()["reward"]}, "both");
        const Value v = g.network("value")(batch).value();
        (void)least_members(v, 4);
        (void)pick(v + sum(spread), 0);
        (void)transpose(x);
    }
};

// Remembers the mean of what it has seen.
struct Recurrent {
    [[nodiscard]] Value value(const Graph& g) const {
        const Value hidden = g.memory("hidden", {2});
        const Value next =
            tanh(dense(g, "0", tenon::concat({hidden, g.batch()["observation"]}), 2, tenon::default_init(6)));
        g.remember("hidden", next);
        return sum(next);
    }
    [[nodiscard]] Value q(const Graph& g, Value action) const { return value(g) * action; }
    static constexpr auto functions = std::tuple{tenon::function<&Recurrent::value>("value", "", "value"),
                                                 tenon::function<&Recurrent::q>("q", "action", "q")};
};

// A trunk and a head on it, whose column goes by another name as a rule.
struct Trunk {
    [[nodiscard]] Value features(const Graph& g) const {
        return tanh(dense(g, "0", g.batch()["observation"], 3, tenon::default_init(4)));
    }
    static constexpr auto functions = std::tuple{tenon::function<&Trunk::features>("features", "", "features")};
};

struct OnTrunk {
    [[nodiscard]] Value value(const Graph& g) const {
        return squeeze(dense(g, "0", g.batch()["hidden"], 1, tenon::default_init(3)));
    }
    static constexpr auto functions = std::tuple{tenon::function<&OnTrunk::value>("value", "", "value")};
};

struct ReadsTrunk {
    void update(const Graph& g) const {
        const auto v = g.network("value");
        g.rows("now", v(g.batch()).value() + sum(g.batch()["trunk.features"]));
        g.rows("target", v.target()(g.batch().next()).value() + sum(g.batch().next()["hidden"]));
    }
};

// Remembers what it saw, whatever it remembered.
struct Delayed {
    [[nodiscard]] Value value(const Graph& g) const {
        const Value before = g.memory("seen", {4});
        g.remember("seen", g.batch()["observation"]);
        return sum(before);
    }
    static constexpr auto functions = std::tuple{tenon::function<&Delayed::value>("value", "", "value")};
};

// Remembers a number that it draws.
struct DrawingTrunk {
    [[nodiscard]] Value features(const Graph& g) const {
        const Value drawn = random_normal(g.memory("z", {2}));
        g.remember("z", drawn);
        return drawn;
    }
    [[nodiscard]] Value next_value(const Graph& g, Value action) const {
        return features(g) * static_cast<double>(tenon::sizes_of(action).at(0));
    }
    static constexpr auto functions = std::tuple{tenon::function<&DrawingTrunk::next_value>("ahead", "action", "ahead"),
                                                 tenon::function<&DrawingTrunk::features>("features", "", "features")};
};

// A model of the world: what it draws is read, and another function remembers it.
struct DrawingModel {
    [[nodiscard]] static Value drawn(const Graph& g) {
        const Value z = g.memory("z", {2});
        return 0.5 * z + random_normal(z, "posterior");
    }
    [[nodiscard]] Value features(const Graph& g) const { return drawn(g); }
    [[nodiscard]] Value step(const Graph& g, Value action) const {
        const Value prior = random_normal(g.memory("z", {2}), "prior");
        const Value posterior = drawn(g);
        g.remember("z", posterior);
        return posterior + prior + 0 * action;
    }
    static constexpr auto functions = std::tuple{tenon::function<&DrawingModel::step>("step", "action", "features"),
                                                 tenon::function<&DrawingModel::features>("features", "", "features")};
};

// A residual block, whose width is its input's, once rightly and once behind a column that there is not.
struct Residual {
    [[nodiscard]] Value value(const Graph& g) const {
        const Value x = dense(g, "0", g.batch()["observation"], 8, tenon::default_init(4));
        const Value scale = mean(g.batch()["observatoin"]);
        const Value first = block(g, x);
        const Value hidden = g.memory("hidden", {tenon::last_size(first)});
        const Value second = block(g, unsqueeze(scale) * first);
        g.remember("hidden", g.memory("hidden", {tenon::last_size(second)}) + second);
        (void)squeeze(first);  // a mistake of its own
        return squeeze(dense(g, "out", second, 1, tenon::default_init(8))) + sum(hidden);
    }
    [[nodiscard]] Value wide(const Graph& g) const {
        return sum(block(g, dense(g, "0", g.batch()["observation"], 8, tenon::default_init(4))));
    }
    static Value block(const Graph& g, Value x) {
        return x + dense(g, "block", x, tenon::last_size(x), tenon::default_init(tenon::last_size(x)));
    }
    static constexpr auto functions = std::tuple{tenon::function<&Residual::value>("value", "", "value"),
                                                 tenon::function<&Residual::wide>("wide", "", "value")};
};

// What may stand in for columns: it reads what is stored, and what else stands in.
struct Judge {
    [[nodiscard]] Value reward(const Graph& g) const {
        return sum(dense(g, "0", g.batch().next()["observation"], 1, tenon::default_init(4))) +
               g.batch()["stored.next.reward"];
    }
    [[nodiscard]] Value ends(const Graph& g) const { return g.batch().next()["reward"] > 1; }
    [[nodiscard]] Value itself(const Graph& g) const { return g.batch().next()["reward"] + 1; }
    [[nodiscard]] Value level(const Graph& g) const { return g.batch()["stored.observation"] * 2; }
    [[nodiscard]] Value team(const Graph& g) const { return g.batch()["stored.next.agents.reward"] * 2; }
    static constexpr auto functions = std::tuple{
        tenon::function<&Judge::reward>("reward", "", "reward"), tenon::function<&Judge::ends>("ends", "", "ends"),
        tenon::function<&Judge::itself>("itself", "", "itself"), tenon::function<&Judge::level>("level", "", "level"),
        tenon::function<&Judge::team>("team", "", "team")};
};

// The rewards of a group as a column.
struct ReadsTeam {
    void update(const Graph& g) const { g.write("all", g.batch()["next.agents.reward"]); }
};

// Reads the reward itself and through a network under next.
struct ReadsReward {
    void update(const Graph& g) const {
        const auto next = g.batch().next();
        g.write("reward", next["reward"]);
        g.write("again", next["reward"] * 2);
        g.write("done", next["done"]);
    }
};

struct ActsOnTrunk {
    [[nodiscard]] std::array<Value, 2> sample(const Graph& g) const {
        return {g.batch()["trunk.features"], sum(g.batch()["trunk.features"])};
    }
    static constexpr auto functions =
        std::tuple{tenon::function<&ActsOnTrunk::sample>("sample", "", "action log_prob")};
};

struct Forgetful {
    [[nodiscard]] Value value(const Graph& g) const { return sum(g.memory("hidden", {2}) * 2); }
    static constexpr auto functions = std::tuple{tenon::function<&Forgetful::value>("value", "", "value")};
};

struct OverSteps {
    void update(const Graph& g) const {
        const auto v = g.network("value");
        g.rows("now", v(g.batch()).value());
        g.rows("next", v(g.batch().next()).value());
    }
};

struct OverStepsWithInput {
    void update(const Graph& g) const { g.rows("q", g.network("value")(g.batch()).q(g.batch()["next.reward"])); }
};

// Written for one agent.
struct OfAgents {
    void prepare(const Graph& g) const { g.write("advantage", g.batch().next()["reward"] - 1); }
    void update(const Graph& g) const {
        const Value seen = g.batch()["observation"];
        const Value error =
            sum(seen * g.parameter("weight", {4}, tenon::zeros())) - g.network("value")(g.batch()).value();
        g.rows("error", error * (1 - g.batch().next()["terminated"]));
        g.priority(error);
        const tn_spec* action = g.spec("action", true);
        g.metric("sizes", static_cast<double>(action == nullptr ? 0 : action->rank));
    }
};

struct Noisy {
    [[nodiscard]] Value sample(const Graph& g) const { return random_normal(g.batch()["observation"], "noise"); }
    static constexpr auto functions = std::tuple{tenon::function<&Noisy::sample>("sample", "", "action")};
};

// Calls two critics by their roles, in a stage and over the members of one.
struct OfRoles {
    void update(const Graph& g) const {
        g.stage("critics", {.owns = {"value", "other"}});
        const Value value = mean(collect(g.network("value")(g.batch()).value(), "value"));
        g.rows("critics.q", value - g.network("other").target()(g.batch()).value());
    }
};

struct Median {
    void update(const Graph& g) const {
        const Value reward = g.batch().next()["reward"];
        g.rows("far", reward - tenon::batch_quantile(reward, 0.5));
    }
};

struct Team {
    void update(const Graph& g) const { g.rows("team", sum(tenon::agents(g.batch().next()["reward"]))); }
};

struct SeesAll {
    void update(const Graph& g) const { g.rows("all", sum(sum(g.batch()["agents.observation"]))); }
};

struct Both {
    void update(const Graph& g) const {
        g.rows("q", pick(g.network("value")(g.batch().with(g.batch().next())).value(), 0));
    }
};

}  // namespace

namespace tenon::test {

Author author_called(const char* name) {
    static const std::map<std::string, Author> authors = {
        {"Twice", made<ObjectiveFunctions<Twice>>()},
        {"Random", made<ObjectiveFunctions<Random>>()},
        {"LeftFirst", made<ObjectiveFunctions<LeftFirst>>()},
        {"RightFirst", made<ObjectiveFunctions<RightFirst>>()},
        {"Returns", made<ObjectiveFunctions<Returns>>()},
        {"LiftedOut", made<ObjectiveFunctions<LiftedOut>>()},
        {"WrongColumn", made<ObjectiveFunctions<WrongColumn>>()},
        {"WrongSlab", made<ObjectiveFunctions<WrongSlab>>()},
        {"Ranks", made<ObjectiveFunctions<Ranks>>()},
        {"Spectral", made<Spectral>()},
        {"CallsEverywhere", made<ObjectiveFunctions<CallsEverywhere>>()},
        {"ThreeInputs", made<ObjectiveFunctions<ThreeInputs>>()},
        {"WrongAttention", made<ObjectiveFunctions<WrongAttention>>()},
        {"WrongImages", made<ObjectiveFunctions<WrongImages>>()},
        {"WrongCritic", made<WrongCritic>()},
        {"CallsTwice", made<ObjectiveFunctions<CallsTwice>>()},
        {"Critic", made<Critic>()},
        {"Calls", made<ObjectiveFunctions<Calls>>()},
        {"Dimensions", made<ObjectiveFunctions<Dimensions>>()},
        {"ModeCritic", made<ModeCritic>()},
        {"WrongDimensions", made<ObjectiveFunctions<WrongDimensions>>()},
        {"Recurrent", made<Recurrent>()},
        {"Delayed", made<Delayed>()},
        {"Forgetful", made<Forgetful>()},
        {"DrawingTrunk", made<DrawingTrunk>()},
        {"DrawingModel", made<DrawingModel>()},
        {"Residual", made<Residual>()},
        {"ActsOnTrunk", made<ActsOnTrunk>()},
        {"Judge", made<Judge>()},
        {"ReadsReward", made<ObjectiveFunctions<ReadsReward>>()},
        {"Trunk", made<Trunk>()},
        {"OnTrunk", made<OnTrunk>()},
        {"ReadsTrunk", made<ObjectiveFunctions<ReadsTrunk>>()},
        {"OverSteps", made<ObjectiveFunctions<OverSteps>>()},
        {"OverStepsWithInput", made<ObjectiveFunctions<OverStepsWithInput>>()},
        {"ReadsTeam", made<ObjectiveFunctions<ReadsTeam>>()},
        {"OfAgents", made<ObjectiveFunctions<OfAgents>>()},
        {"Noisy", made<Noisy>()},
        {"OfRoles", made<ObjectiveFunctions<OfRoles>>()},
        {"Median", made<ObjectiveFunctions<Median>>()},
        {"Team", made<ObjectiveFunctions<Team>>()},
        {"SeesAll", made<ObjectiveFunctions<SeesAll>>()},
        {"Both", made<ObjectiveFunctions<Both>>()},
        {"ManyMistakes", made<ObjectiveFunctions<ManyMistakes>>()},
    };
    const auto found = authors.find(name);
    return found == authors.end() ? sdk_author(name) : found->second;
}

unsigned author_line(const char* word) {
    return marks().at(word);
}

}  // namespace tenon::test
