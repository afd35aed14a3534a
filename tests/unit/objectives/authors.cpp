// SPDX-License-Identifier: Apache-2.0
#include "authors.hpp"

#include <map>
#include <string>

#include "derivative_authors.hpp"
#include "fused_authors.hpp"
#include "head_authors.hpp"
#include "imagining_authors.hpp"
#include "made.hpp"
#include "ordered_authors.hpp"
#include "tenon/cells.hpp"
#include "tenon/estimators.hpp"
#include "tenon/heads.hpp"
#include "tenon/images.hpp"
#include "tenon/losses.hpp"
#include "tenon/norms.hpp"
#include "tenon/objective.hpp"
#include "tenon/transformer.hpp"
#include "token_authors.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

// A critic fits rewards, an actor climbs the critic. Which critic it sees, and whether both are there, is what differs.
enum class Sees { kStart, kAfter, kTargetAfter };

void critic_stage(const Graph& g) {
    const auto batch = g.batch();
    g.stage("critic", {.owns = {"qvalue"}});
    g.rows("critic.q", tenon::squared(g.network("qvalue")(batch).q(batch["action"]) - batch.next()["reward"]));
}

void actor_stage(const Graph& g, Sees sees) {
    const auto batch = g.batch();
    const auto q = g.network("qvalue");
    const auto seen = sees == Sees::kStart ? q : sees == Sees::kAfter ? q.after("critic") : q.after("critic").target();
    g.stage("actor", {.owns = {"actor"}});
    g.rows("actor.climb", -seen(batch).q(g.network("actor")(batch).mode()));
    g.metric("seen", batch_mean(seen(batch).q(batch["action"])));
}

template <Sees sees>
struct Both {
    void update(const Graph& g) const {
        critic_stage(g);
        actor_stage(g, sees);
    }
};

struct CriticAlone {
    void update(const Graph& g) const { critic_stage(g); }
};

// Skips the update where rewards are good on average, and counts those that were made.
struct SkipsGood {
    void update(const Graph& g) const {
        critic_stage(g);
        const auto count = g.state("count", {}, tenon::zeros());
        g.set("count", count + 1);
        g.control("skip_update", batch_mean(g.batch().next()["reward"]) > 0);
    }
};

struct ActorAlone {
    void update(const Graph& g) const { actor_stage(g, Sees::kStart); }
};

struct ActorOfTarget {
    void update(const Graph& g) const {
        const auto batch = g.batch();
        g.stage("actor", {.owns = {"actor"}});
        g.rows("actor.climb", -g.network("qvalue").target()(batch).q(g.network("actor")(batch).mode()));
    }
};

// The second stage is due in every third update; a metric counts the updates.
struct EveryThird {
    void update(const Graph& g) const {
        const auto batch = g.batch();
        g.stage("critic", {.owns = {"qvalue"}});
        g.stage("actor", {.owns = {"actor"}, .every = 3});
        g.rows("critic.q", tenon::squared(g.network("qvalue")(batch).q(batch["action"]) - batch.next()["reward"]));
        g.rows("actor.climb", -g.network("qvalue")(batch).q(g.network("actor")(batch).mode()));
        g.metric("updates", g.updates());
    }
};

// Two losses of the two critics, each of its own shape: per row and member, per row.
struct Rows {
    void update(const Graph& g) const {
        const auto batch = g.batch();
        const Value q = g.network("qvalue")(batch).q(batch["action"]);
        g.rows("each", tenon::squared(q - batch.next()["reward"]));
        g.rows("smallest", abs(min_members(q) - batch.next()["reward"]));
        g.rows("size", g.parameter("size", {}, tenon::constant(3)) * 2);
    }
};

struct Estimators {
    void prepare(const Graph& g) const {
        const auto batch = g.batch();
        const Value reward = batch["reward"];
        const Value value = batch["value"];
        const Value next_value = batch["next_value"];
        const Value terminated = batch["terminated"];
        const Value done = batch["done"];
        const Value gamma = g.option("gamma");
        const Value lambda = g.option("lambda");
        const Value ratio = exp(batch["log_pi"] - batch["log_mu"]);
        const Value advantage = tenon::gae(reward, value, next_value, terminated, done, gamma, lambda);
        g.write("gae", advantage);
        g.write("gae_target", advantage + value);
        g.write("td0", tenon::td0(reward, next_value, terminated, gamma));
        g.write("td1", tenon::td1(reward, next_value, terminated, done, gamma));
        g.write("reward_to_go", tenon::reward_to_go(reward, done, gamma));
        g.write("td_lambda", tenon::td_lambda(reward, next_value, terminated, done, gamma, lambda));
        const Value rho = min(ratio, g.option("rho_max"));
        const Value c = min(ratio, g.option("c_max"));
        const Value target = tenon::vtrace(reward, value, next_value, terminated, done, rho, c, gamma);
        g.write("vtrace", target);
        g.write("vtrace_advantage",
                tenon::vtrace_advantage(reward, value, next_value, terminated, target, rho, c, gamma));
        g.write("smooth_l1", tenon::smooth_l1(reward - value));
    }
    void update(const Graph& /*g*/) const {}
};

// The head under the mask of its action, on logits that a parameter shifts: the loss has a gradient by each of them.
struct MaskedCategoricalHead {
    [[nodiscard]] static tenon::Categorical head(const Graph& g) {
        const Value logits =
            g.batch()["logits"] + g.parameter("shift", {tenon::last_size(g.batch()["logits"])}, tenon::zeros());
        return {tenon::only_allowed(g, logits)};
    }
    void prepare(const Graph& g) const {
        const tenon::Categorical masked{tenon::only_allowed(g, g.batch()["logits"])};
        const tenon::Draw draw = masked.sample();
        g.write("drawn", draw.action);
        g.write("drawn.log_prob", draw.log_prob);
        g.write("log_prob", masked.log_prob(g.batch()["action"]));
        g.write("entropy", masked.entropy());
        g.write("mode", masked.mode());
    }
    void update(const Graph& g) const {
        g.rows("loss", head(g).log_prob(g.batch()["action"]) + 0.3 * head(g).entropy());
    }
};

// A value that nobody can rescale.
struct PlainValue {
    [[nodiscard]] Value value(const Graph& g) const {
        return sum(g.batch()["observation"] * g.parameter("weight", {3}, tenon::zeros()));
    }
    static constexpr auto functions = std::tuple{tenon::function<&PlainValue::value>("value", "", "value")};
};

// Cells alone, and an objective that weighs what they put out.
struct Cells {
    [[nodiscard]] Value gru(const Graph& g) const { return tenon::gru(g, "gru", g.batch()["x"], 5); }
    [[nodiscard]] Value lstm(const Graph& g) const { return tenon::lstm(g, "lstm", g.batch()["x"], 5); }
    [[nodiscard]] Value two_gru(const Graph& g) const { return tenon::gru_layers(g, "gru", g.batch()["x"], 5, 2); }
    [[nodiscard]] Value three_lstm(const Graph& g) const { return tenon::lstm_layers(g, "lstm", g.batch()["x"], 5, 3); }
    static constexpr auto functions =
        std::tuple{tenon::function<&Cells::gru>("gru", "", "out"), tenon::function<&Cells::lstm>("lstm", "", "out"),
                   tenon::function<&Cells::two_gru>("two_gru", "", "out"),
                   tenon::function<&Cells::three_lstm>("three_lstm", "", "out")};
};

constexpr const char* kCells[] = {"gru", "lstm", "two_gru", "three_lstm"};

template <std::size_t kCell>
struct WeighsCells {
    [[nodiscard]] static Value out(const Graph& g) { return g.network("net")(g.batch()).call<1>(kCells[kCell], {})[0]; }
    void prepare(const Graph& g) const { g.write("out", out(g)); }
    void update(const Graph& g) const { g.rows("weighed", sum(out(g) * g.batch()["weight"])); }
};

struct WeighsFeatures {
    [[nodiscard]] static Value out(const Graph& g) { return g.network("net")(g.batch()).call<1>("features", {})[0]; }
    void prepare(const Graph& g) const { g.write("out", out(g)); }
    void update(const Graph& g) const {
        const Value trained = out(g);
        g.write("trained", trained);
        g.rows("weighed", sum(trained * g.batch()["weight"]));
    }
};

// The features of windows.
struct OfWindows {
    void prepare(const Graph& g) const {
        g.write("out", g.network("net")(g.batch().under("window.")).call<1>("features", {})[0]);
    }
    void update(const Graph& g) const { g.rows("none", g.batch()["weight"]); }
};

// As WeighsFeatures, of what the network draws.
struct WeighsDraw {
    [[nodiscard]] static Value out(const Graph& g) { return g.network("net")(g.batch()).sample().action; }
    void prepare(const Graph& g) const { g.write("out", out(g)); }
    void update(const Graph& g) const {
        const Value trained = out(g);
        g.write("trained", trained);
        g.rows("weighed", sum(trained * g.batch()["weight"]));
    }
};

// What two transforms make of an observation, one after the other.
struct Transforms {
    [[nodiscard]] static Value through(const Graph& g, const char* network, Value x) {
        return g.network(network)(g.batch()).call<1>("apply", {x})[0];
    }
    void prepare(const Graph& g) const {
        g.write("out", through(g, "second", through(g, "first", g.batch()["observation"])));
    }
    void update(const Graph& g) const { g.rows("none", g.batch()["weight"]); }
};

// A picture of a vector.
struct Decoder {
    [[nodiscard]] Value features(const Graph& g) const {
        const Value x = relu(dense(g, "0", g.batch()["observation"], 16, tenon::default_init(3)));
        const Value larger = conv_transposed(g, "1", reshape(x, {4, 2, 2}), {.channels = 3, .kernel = 3, .stride = 2},
                                             tenon::default_init);
        return tenon::flatten(
            conv_transposed(g, "2", relu(larger), {.channels = 2, .kernel = 2, .padding = 1}, tenon::default_init));
    }
    static constexpr auto functions = std::tuple{tenon::function<&Decoder::features>("features", "", "out")};
};

// A trunk for a sequence of 5 rows of 3 elements: a block with learnt positions, and one with rotated ones.
struct Transformer {
    [[nodiscard]] Value features(const Graph& g) const {
        const Value seen = g.batch()["observation"];
        const Value token = cast(squeeze(slice(seen, 0, 1, -1) > 0), "int");
        Value x = dense(g, "in", seen, 8, tenon::default_init(3)) + tenon::embedding(g, "token", token, 2, 8);
        x = tenon::learnt_positions(g, "position", x, 7);
        x = tenon::transformer_block(g, "block0", x, {.heads = 2}, {.causal = true});
        const tenon::BlockOptions llama{.heads = 2, .hidden = 10, .activation = "silu", .gated = true, .rms = true};
        const Value places = tenon::count_up(5);
        x = transformer_block(g, "block1", x, llama, [&](Value query, Value key, Value value) {
            return attention(tenon::rotary(query, places, 2), tenon::rotary(key, places, 2), value, 2,
                             {.causal = true, .window = 3});
        });
        return mean(tenon::rms_norm(g, "norm", x), -2);
    }
    static constexpr auto functions = std::tuple{tenon::function<&Transformer::features>("features", "", "out")};
};

// A trunk for a matrix [2, 3].
struct Flattens {
    [[nodiscard]] Value features(const Graph& g) const {
        return tanh(dense(g, "0", tenon::flatten(g.batch()["observation"]), 4, tenon::default_init(6)));
    }
    static constexpr auto functions = std::tuple{tenon::function<&Flattens::features>("features", "", "features")};
};

// Normalises a matrix [2, 3] along its columns.
struct NormsOfMatrices {
    void update(const Graph& g) const {
        const Value x = reshape(g.batch()["x"], {2, 3});
        const auto row = [](Value matrix) { return reshape(matrix, {6}); };
        g.write("layer", row(tenon::layer_norm(g, "layer", x)));
        const Value renorm = row(tenon::batch_renorm(g, "renorm", x));
        g.write("renorm", renorm);
        g.rows("loss", sum(renorm));
    }
};

// The reward of a network that is curious, and its bonus.
struct WeighsReward {
    void update(const Graph& g) const {
        const auto curiosity = g.network("curiosity").eval()(g.batch());
        g.write("reward", curiosity.call<1>("reward", {})[0]);
        g.write("bonus", curiosity.call<1>("bonus", {})[0]);
        g.rows("error", g.network("curiosity")(g.batch()).call<1>("error", {})[0]);
    }
};

// A model whose episode ends after an action above 0. Each step gives the same reward.
template <int reward_of_steps>
struct Ending {
    [[nodiscard]] Value step(const Graph& /*g*/, Value state, Value /*action*/) const { return state; }
    [[nodiscard]] Value reward(const Graph& /*g*/, Value state, Value action) const {
        return 0 * squeeze(slice(state, 0, 1)) + 0 * squeeze(action) + reward_of_steps;
    }
    [[nodiscard]] Value continues(const Graph& /*g*/, Value state, Value action) const {
        return where(squeeze(action) > 0 * squeeze(slice(state, 0, 1)), -20.0, 20.0);
    }
    static constexpr auto functions =
        std::tuple{tenon::function<&Ending::step>("step", "state action", "state"),
                   tenon::function<&Ending::reward>("reward", "state action", "reward"),
                   tenon::function<&Ending::continues>("continues", "state action", "logit")};
};

// What a planner acts by; it learns nothing.
struct WritesPlan {
    void update(const Graph& g) const {
        const Value action = g.network("actor")(g.batch()).mode();
        g.write("plan", action);
        g.stage("all", {.owns = {"objective"}});
        g.rows("all.none", sum(action) * g.parameter("scale", {}, tenon::constant(1)));
    }
};

}  // namespace

namespace tenon::test {

Author author_called(const char* name) {
    static const std::map<std::string, Author> authors = {
        {"ReadsStart", made<Both<Sees::kStart>>()},
        {"ReadsAfter", made<Both<Sees::kAfter>>()},
        {"ReadsTargetAfter", made<Both<Sees::kTargetAfter>>()},
        {"CriticAlone", made<CriticAlone>()},
        {"SkipsGood", made<SkipsGood>()},
        {"ActorAlone", made<ActorAlone>()},
        {"ActorOfTarget", made<ActorOfTarget>()},
        {"EveryThird", made<EveryThird>()},
        {"Rows", made<Rows>()},
        {"Estimators", made<Estimators>()},
        {"PlainValue", instance_of<tenon::GraphComponent<PlainValue>>()},
        {"Cells", instance_of<tenon::GraphComponent<Cells>>()},
        {"WeighsGru", made<WeighsCells<0>>()},
        {"WeighsLstm", made<WeighsCells<1>>()},
        {"WeighsTwoGru", made<WeighsCells<2>>()},
        {"WeighsThreeLstm", made<WeighsCells<3>>()},
        {"Decoder", instance_of<tenon::GraphComponent<Decoder>>()},
        {"Transformer", instance_of<tenon::GraphComponent<Transformer>>()},
        {"Flattens", instance_of<tenon::GraphComponent<Flattens>>()},
        {"WeighsFeatures", made<WeighsFeatures>()},
        {"OfWindows", made<OfWindows>()},
        {"WeighsDraw", made<WeighsDraw>()},
        {"WeighsReward", made<WeighsReward>()},
        {"WritesPlan", made<WritesPlan>()},
        {"EndingWell", instance_of<tenon::GraphComponent<Ending<1>>>()},
        {"EndingBadly", instance_of<tenon::GraphComponent<Ending<-1>>>()},
        {"Transforms", made<Transforms>()},
        {"NormsOfMatrices", made<NormsOfMatrices>()},
        {"MaskedCategoricalHead", made<MaskedCategoricalHead>()},
    };
    const auto found = authors.find(name);
    if (found != authors.end()) {
        return found->second;
    }
    for (const Author& other : {fused_author(name), ordered_author(name), imagining_author(name), token_author(name),
                                derivative_author(name)}) {
        if (other.api != nullptr) {
            return other;
        }
    }
    return head_author(name);
}

}  // namespace tenon::test
