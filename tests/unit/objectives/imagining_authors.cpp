// SPDX-License-Identifier: Apache-2.0
#include "imagining_authors.hpp"

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "made.hpp"
#include "tenon/nets.hpp"
#include "tenon/objective.hpp"
#include "tenon/policy_graph.hpp"
#include "tenon/region.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

constexpr std::int64_t kHorizon = 4;
constexpr std::int64_t kState = 3;
constexpr std::int64_t kHidden = 5;  // of the actor's cell

// What is imagined: states, rewards, and what they are worth, all [horizon, rows].
struct Dream {
    Value states;
    Value rewards;
    Value noises;
};

// The next state and the reward by a model, from a state, an action and noise.
struct Model {
    Value weight;
    Value bias;

    explicit Model(const Graph& g)
        : weight(g.parameter("weight", {kState, kState + 1}, tenon::normal(0.5))),
          bias(g.parameter("bias", {kState}, tenon::normal(0.5))) {}

    [[nodiscard]] Value next(Value state, Value action, Value noise) const {
        return tanh(linear(concat(state, action), weight, bias) + 0.3 * noise);
    }
};

Value reward_of(Value state, Value action) {
    return sum(sin(2 * state)) - sum(square(action));
}

Value acts_on(const Graph& g, Value state) {
    return g.network("actor")(g.batch()).with("observation", state).mode();
}

Dream in_a_loop(const Graph& g, const Model& model, Value start) {
    const std::vector<Value> out = scan(tenon::Steps{"horizon", kHorizon}, {start}, {}, [&](std::span<const Value> in) {
        const Value noise = random_normal(in[0], "noise");
        const Value action = acts_on(g, in[0]);
        return std::vector<Value>{model.next(in[0], action, noise), reward_of(in[0], action), noise};
    });
    return {out[0], out[1], out[2]};
}

Dream step_by_step(const Graph& g, const Model& model, Value start) {
    const Value all = random_normal(tenon::spread(start, "horizon", kHorizon), "noise");
    std::vector<tenon::In> states;
    std::vector<tenon::In> rewards;
    Value state = start;
    for (std::int64_t i = 0; i < kHorizon; ++i) {
        const Value action = acts_on(g, state);
        rewards.emplace_back(reward_of(state, action));
        state = model.next(state, action, pick(all, i, "horizon"));
        states.emplace_back(state);
    }
    return {tenon::stack(states, "horizon"), tenon::stack(rewards, "horizon"), all};
}

// What each state is worth: the rewards behind it, discounted, and the last state's own value.
Value returns_in_a_loop(const Dream& dream, Value last) {
    return scan(tenon::Steps{"horizon", kHorizon, true}, {last}, {dream.rewards},
                [](std::span<const Value> in) { return std::vector<Value>{in[1] + 0.9 * in[0]}; })[0];
}

Value returns_step_by_step(const Dream& dream, Value last) {
    std::vector<tenon::In> out(kHorizon, last);
    Value imagined_return = last;
    for (std::int64_t i = kHorizon; i-- > 0;) {
        imagined_return = pick(dream.rewards, i, "horizon") + 0.9 * imagined_return;
        out[static_cast<std::size_t>(i)] = imagined_return;
    }
    return tenon::stack(out, "horizon");
}

template <bool looped>
struct Imagines {
    void update(const Graph& g) const {
        const Model model(g);
        const Value start = g.batch()["observation"];
        const Dream dream = looped ? in_a_loop(g, model, start) : step_by_step(g, model, start);
        const Value last = sum(pick(dream.states, kHorizon - 1, "horizon"));
        const Value returns = looped ? returns_in_a_loop(dream, last) : returns_step_by_step(dream, last);
        g.stage("all", {.owns = {"actor", "objective"}});
        g.rows("all.returns", mean(collect(returns * dream.rewards, "horizon")));
        g.write("states", reshape(collect(dream.states, "horizon"), {kState * kHorizon}));
        g.write("noises", reshape(collect(dream.noises, "horizon"), {kState * kHorizon}));
        g.write("returns", collect(returns, "horizon"));
    }
};

// An actor with a memory, which the loop carries.
template <bool looped>
struct Remembers {
    void update(const Graph& g) const {
        const auto actor = g.network("actor")(g.batch());
        const auto step = [&](Value state, Value hidden) {
            const auto [action, next] =
                actor.with("observation", state).with("memory.gru_hidden", hidden).call<2>("mode", {});
            return std::array{tanh(state + action), next, action};
        };
        Value state = g.batch()["observation"];
        Value hidden = g.batch()["hidden"];
        Value actions;
        if (looped) {
            actions = scan(tenon::Steps{"horizon", kHorizon}, {state, hidden}, {}, [&](std::span<const Value> in) {
                const auto [next, kept, action] = step(in[0], in[1]);
                return std::vector<Value>{next, kept, action};
            })[2];
        } else {
            std::vector<tenon::In> all;
            for (std::int64_t i = 0; i < kHorizon; ++i) {
                const auto [next, kept, action] = step(state, hidden);
                state = next;
                hidden = kept;
                all.emplace_back(action);
            }
            actions = tenon::stack(all, "horizon");
        }
        g.stage("all", {.owns = {"actor"}});
        g.rows("all.actions", mean(collect(square(sum(actions) + 1), "horizon")));
    }
};

// Draws by the actor itself, in every step.
struct Draws {
    void update(const Graph& g) const {
        const Value start = g.batch()["observation"];
        const auto actor = g.network("actor")(g.batch());
        const std::vector<Value> out =
            scan(tenon::Steps{"horizon", kHorizon}, {start}, {}, [&](std::span<const Value> in) {
                const tenon::Draw draw = actor.with("observation", in[0]).sample();
                // of a value outside of the loop, and yet drawn anew in each step
                const Value noise = random_uniform(sum(start), "outside");
                return std::vector<Value>{in[0], draw.log_prob, squeeze(draw.action), noise};
            });
        g.stage("all", {.owns = {"actor"}});
        g.rows("all.actions", mean(collect(out[1] * out[2], "horizon")));
        g.write("actions", collect(out[2], "horizon"));
        g.write("noises", collect(out[3], "horizon"));
    }
};

// The last of three steps from `first`, and a tenth of the sum of what each makes of it: by a loop, or written one
// after the other.
template <bool looped, class Body>
Value repeated(const char* steps, Value first, Body body) {
    std::array<Value, 3> each;
    Value last = first;
    if (looped) {
        const std::vector<Value> out = scan(tenon::Steps{steps, 3}, {first}, {}, [&](std::span<const Value> in) {
            const Value next = body(in[0]);
            return std::vector<Value>{next, square(next)};
        });
        last = pick(out[0], 2, steps);
        for (std::int64_t i = 0; i < 3; ++i) {
            each[static_cast<std::size_t>(i)] = pick(out[1], i, steps);
        }
    } else {
        for (Value& squared : each) {
            last = body(last);
            squared = square(last);
        }
    }
    return last + 0.1 * (each[0] + each[1] + each[2]);
}

// Networks that remember, with loops in their step. The body of the loop also reads what is outside of it: a sequence,
// and a value of the step.
template <bool looped>
struct Thinking {
    static Value layer(const Graph& g, const char* name, Value x) {
        return tanh(dense(g, name, x, kState, tenon::default_init(kState)));
    }
    // A loop that leads to the memory.
    [[nodiscard]] Value thought(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const Value before = g.memory("trace", {kState});
        const Value next =
            repeated<looped>("thought", 0.3 * x, [&](Value at) { return layer(g, "think", at + before) + 0.5 * x; });
        g.remember("trace", next);
        return next;
    }
    // A loop that no memory goes into.
    [[nodiscard]] Value glance(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const Value seen = repeated<looped>("glance", x, [&](Value at) { return layer(g, "look", at) + 0.5 * x; });
        const Value next = layer(g, "cell", seen + g.memory("trace", {kState}));
        g.remember("trace", next);
        return next + seen;
    }
    // A loop that follows from the memory, and one inside of it.
    template <bool nested>
    [[nodiscard]] Value said(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const Value trace = layer(g, "cell", x + g.memory("trace", {kState}));
        g.remember("trace", trace);
        return repeated<looped>("word", trace, [&](Value at) {
            const Value next = layer(g, "say", at + x) + 0.5 * trace;
            return nested ? repeated<looped>("letter", next, [&](Value in) { return layer(g, "spell", in) + trace; })
                          : next;
        });
    }
    [[nodiscard]] Value words(const Graph& g) const { return said<false>(g); }
    [[nodiscard]] Value letters(const Graph& g) const { return said<true>(g); }
    // What is drawn in each step of such a loop.
    [[nodiscard]] Value draws(const Graph& g) const {
        const Value trace = g.batch()["observation"] + g.memory("trace", {kState});
        g.remember("trace", trace);
        return collect(scan(tenon::Steps{"word", 3}, {trace}, {},
                            [](std::span<const Value> in) {
                                return std::vector<Value>{in[0], random_uniform(sum(in[0]), "word")};
                            })[1],
                       "word");
    }
    // Two steps of a loop, and in each of them two of another one.
    [[nodiscard]] Value draws_of_loops(const Graph& g) const {
        const Value trace = g.batch()["observation"] + g.memory("trace", {kState});
        g.remember("trace", trace);
        const auto words = scan(tenon::Steps{"word", 2}, {trace}, {}, [](std::span<const Value> word) {
            const auto letters = scan(tenon::Steps{"letter", 2}, {word[0]}, {}, [](std::span<const Value> in) {
                return std::vector<Value>{in[0], random_uniform(sum(in[0]), "letter")};
            });
            return std::vector<Value>{word[0], collect(letters[1], "letter")};
        });
        return reshape(tenon::concat({pick(words[1], 0, "word"), pick(words[1], 1, "word")}), {4});
    }
    // Draws in a loop that leads to the memory.
    [[nodiscard]] Value memory_of_draws(const Graph& g) const {
        const Value before = g.memory("trace", {kState});
        const auto out = scan(tenon::Steps{"thought", 3}, {before}, {}, [&](std::span<const Value> in) {
            return std::vector<Value>{0.5 * in[0] + random_normal(in[0], "thought"),
                                      random_uniform(sum(in[0] + g.batch()["observation"]), "chance")};
        });
        g.remember("trace", pick(out[0], 2, "thought"));
        return collect(out[1], "thought");
    }
    // A loop that leads to the memory, with a loop in it, over a value of each step.
    [[nodiscard]] Value musing(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const Value before = g.memory("trace", {kState});
        const Value next = repeated<looped>("thought", 0.3 * x, [&](Value at) {
            const Value said = repeated<looped>("word", at, [&](Value in) { return layer(g, "say", in + before); });
            return layer(g, "think", at + said) + 0.2 * x;
        });
        g.remember("trace", next);
        return next;
    }
    static constexpr auto functions = std::tuple{tenon::function<&Thinking::thought>("thought", "", "out"),
                                                 tenon::function<&Thinking::musing>("musing", "", "out"),
                                                 tenon::function<&Thinking::draws_of_loops>("loops", "", "out"),
                                                 tenon::function<&Thinking::memory_of_draws>("chance", "", "out"),
                                                 tenon::function<&Thinking::glance>("glance", "", "out"),
                                                 tenon::function<&Thinking::words>("words", "", "out"),
                                                 tenon::function<&Thinking::letters>("letters", "", "out"),
                                                 tenon::function<&Thinking::draws>("draws", "", "out")};
};

enum class Says { kThought, kGlance, kWords, kLetters, kMusing };
constexpr const char* kSays[] = {"thought", "glance", "words", "letters", "musing"};

// Before each step and after it.
template <Says what>
struct Weighs {
    void update(const Graph& g) const {
        const auto net = g.network("net");
        const char* const function = kSays[static_cast<std::size_t>(what)];
        const Value now = net(g.batch()).call<1>(function, {})[0];
        const Value next = net(g.batch().next()).call<1>(function, {})[0];
        g.stage("all", {.owns = {"net"}});
        g.rows("all.said", sum(sin(now) + next * now));
        g.write("now", now);
        g.write("next", next);
    }
};

template <char which>
struct WritesDraws {
    void update(const Graph& g) const {
        const char* const function = which == 'd' ? "draws" : which == 'l' ? "loops" : "chance";
        const Value drawn = g.network("net")(g.batch()).call<1>(function, {})[0];
        g.write("draws", drawn);
        g.stage("all", {.owns = {"objective"}});
        g.rows("all.none", sum(drawn) * g.parameter("scale", {}, tenon::constant(1)));
    }
};

}  // namespace

namespace tenon::test {

Author imagining_author(const char* name) {
    static const std::map<std::string, Author> authors = {
        {"Imagines", made<Imagines<true>>()},
        {"ImaginesUnrolled", made<Imagines<false>>()},
        {"Remembers", made<Remembers<true>>()},
        {"RemembersUnrolled", made<Remembers<false>>()},
        {"Draws", made<Draws>()},
        {"Thinking", instance_of<GraphComponent<Thinking<true>>>()},
        {"ThinkingUnrolled", instance_of<GraphComponent<Thinking<false>>>()},
        {"WeighsThought", made<Weighs<Says::kThought>>()},
        {"WeighsGlance", made<Weighs<Says::kGlance>>()},
        {"WeighsWords", made<Weighs<Says::kWords>>()},
        {"WeighsLetters", made<Weighs<Says::kLetters>>()},
        {"WeighsMusing", made<Weighs<Says::kMusing>>()},
        {"WritesDraws", made<WritesDraws<'d'>>()},
        {"WritesDrawsOfLoops", made<WritesDraws<'l'>>()},
        {"WritesMemoryOfDraws", made<WritesDraws<'m'>>()}};
    const auto found = authors.find(name);
    return found == authors.end() ? Author{} : found->second;
}

}  // namespace tenon::test
