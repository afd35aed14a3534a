// SPDX-License-Identifier: Apache-2.0
#include "token_authors.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "made.hpp"
#include "tenon/nets.hpp"
#include "tenon/objective.hpp"
#include "tenon/region.hpp"

using tenon::Graph;
using tenon::In;
using tenon::Until;
using tenon::Value;

namespace {

using tenon::test::kPad;
using tenon::test::kTokens;

constexpr std::int64_t kWords = 5;
constexpr std::int64_t kWidth = 3;

// What a step makes of a token and of the keys before it.
struct Spoken {
    Value token;
    Value keys;
    Value place;
    Value odd;  // a bool: whether an odd number of tokens has been spoken
    Value log_prob;
    Value done;
};

struct Speaker {
    Value words;
    Value observation;

    explicit Speaker(const Graph& g)
        : words(g.parameter("words", {kWords, kWidth}, tenon::normal(1.5))), observation(g.batch()["observation"]) {}

    [[nodiscard]] Value first_token() const { return argmax(observation) + tenon::whole(1); }
    [[nodiscard]] Value no_keys() const {
        return tenon::unsqueeze(0 * observation, -2) + tenon::unsqueeze(0 * tenon::count_up(kTokens));
    }

    // Attends to the keys up to its own. `with_put`: the key is put in place, instead of chosen place by place.
    [[nodiscard]] Spoken next(Value token, Value keys, Value place, Value odd, bool with_put) const {
        const Value key = take(words, token) + observation;
        const Value places = tenon::count_up(kTokens);
        const Value own = tenon::cast(tenon::unsqueeze(place), "real");
        const Value all =
            with_put ? put(keys, place, key) : where(tenon::unsqueeze(places == own), tenon::unsqueeze(key, -2), keys);
        const Value scores = where(places <= own, sum(all * tenon::unsqueeze(key, -2)), -1e9);
        const Value seen = sum(all * tenon::unsqueeze(softmax(scores)), -2);
        const Value log_probs = log_softmax(linear(sin(2 * seen), words));
        const Value said = argmax(log_probs);
        return {said, all, place + tenon::whole(1), !odd, gather(log_probs, said), said == 0 || said == 3};
    }
};

struct Answer {
    Value tokens;  // [kTokens], real
    Value log_probs;
    Value dones;  // 1 or 0
    Value odds;
    Value place;  // the last one
};

std::vector<Value> carried_at_first(const Speaker& by) {
    const Value token = by.first_token();
    const Value place = tenon::whole(0) * token;
    return {token, by.no_keys(), place, place > 0};
}

Answer in_a_loop(const Speaker& by) {
    const std::vector<Value> first = carried_at_first(by);
    const std::vector<Value> out = tenon::scan(
        tenon::Steps{.name = "answer", .count = kTokens, .fill = kPad}, {first.begin(), first.end()}, {},
        [&](std::span<const Value> in) {
            const Spoken now = by.next(in[0], in[1], in[2], in[3], true);
            return tenon::until(now.done, {now.token, now.keys, now.place, now.odd, now.log_prob, now.token});
        });
    return {tenon::cast(collect(out[5], "answer"), "real"), collect(out[4], "answer"),
            tenon::cast(collect(out[6], "answer"), "real"), tenon::cast(collect(out[3], "answer"), "real"),
            tenon::cast(pick(out[2], kTokens - 1, "answer"), "real")};
}

Answer step_by_step(const Speaker& by) {
    const std::vector<Value> first = carried_at_first(by);
    Value token = first[0];
    Value keys = first[1];
    Value place = first[2];
    Value odd = first[3];
    Value done = place > 0;
    std::vector<In> tokens;
    std::vector<In> log_probs;
    std::vector<In> dones;
    std::vector<In> odds;
    for (std::int64_t i = 0; i < kTokens; ++i) {
        const Spoken now = by.next(token, keys, place, odd, false);
        token = where(done, token, now.token);
        keys = where(tenon::unsqueeze(tenon::unsqueeze(done)), keys, now.keys);
        place = where(done, place, now.place);
        odd = (done && odd) || (!done && now.odd);
        tokens.emplace_back(where(done, kPad, tenon::cast(now.token, "real")));
        log_probs.emplace_back(where(done, kPad, now.log_prob));
        odds.emplace_back(tenon::cast(odd, "real"));
        done = done || now.done;
        dones.emplace_back(tenon::cast(done, "real"));
    }
    const auto all = [](const std::vector<In>& each) { return collect(tenon::stack(each, "answer"), "answer"); };
    return {all(tokens), all(log_probs), all(dones), all(odds), tenon::cast(place, "real")};
}

template <bool looped>
struct Speaks {
    static void write(const Graph& g, const Answer& answer) {
        g.write("tokens", answer.tokens);
        g.write("log_probs", answer.log_probs);
        g.write("dones", answer.dones);
        g.write("odds", answer.odds);
        g.write("place", answer.place);
    }
    void prepare(const Graph& g) const {
        const Speaker by(g);
        write(g, looped ? in_a_loop(by) : step_by_step(by));
    }
    void update(const Graph& g) const {
        const Speaker by(g);
        const Answer answer = looped ? in_a_loop(by) : step_by_step(by);
        g.stage("all", {.owns = {"objective"}});
        g.rows("all.log_probs", mean(square(answer.log_probs)));
        write(g, answer);
    }
};

// Counts in ints that float64 has no room for, all steps of which are read, and puts them into a value of ints.
struct Counts {
    void update(const Graph& g) const {
        g.stage("all", {.owns = {"objective"}});
        g.rows("all.none", sum(g.batch()["observation"]) * g.parameter("scale", {}, tenon::constant(1)));
    }
    void prepare(const Graph& g) const {
        const Value zero = tenon::whole(0) * argmax(g.batch()["observation"]);
        const Value many = zero + tenon::whole(9007199254740993);
        const Value none = tenon::unsqueeze(zero) + tenon::cast(tenon::count_up(kTokens), "int");
        const std::vector<Value> out =
            tenon::scan(tenon::Steps{"count", kTokens}, {many, zero, none}, {}, [](std::span<const Value> in) {
                return std::vector<Value>{in[0] + tenon::whole(2), in[1] + tenon::whole(1),
                                          put(in[2], in[1], in[0], -1), in[0]};
            });
        const Value low = zero + tenon::whole(9007199254740992);
        g.write("counts", collect(tenon::cast(out[3] - low, "real"), "count"));
        g.write("put", tenon::cast(pick(out[2], kTokens - 1, "count") - tenon::unsqueeze(low), "real"));
    }
};

// kWrites puts rows into the caches, but each step sees only the row that it has put.
enum class Cache { kWhere, kPut, kWrites };

// Draws tokens with a transformer of two layers, whose keys and values are in caches.
template <std::int64_t count, Cache cache>
struct Samples {
    static constexpr std::int64_t kPrompt = 16;
    static constexpr std::int64_t kPlaces = kPrompt + count;
    static constexpr std::int64_t kUnits = 64;
    static constexpr std::int64_t kVocabulary = 16;

    struct Layer {
        Value query;
        Value key;
        Value value;
        Value out;
        Value wide;
        Value narrow;

        Layer(const Graph& g, const std::string& name) {
            const auto weight = [&](const char* part, std::int64_t to, std::int64_t from) {
                return g.parameter((name + part).c_str(), {to, from}, tenon::normal(0.1));
            };
            query = weight(".query", kUnits, kUnits);
            key = weight(".key", kUnits, kUnits);
            value = weight(".value", kUnits, kUnits);
            out = weight(".out", kUnits, kUnits);
            wide = weight(".wide", 4 * kUnits, kUnits);
            narrow = weight(".narrow", kUnits, 4 * kUnits);
        }
    };

    static Value put_into(Value rows, Value place, Value row) {
        const Value here = tenon::unsqueeze(tenon::count_up(kPlaces) == tenon::cast(place, "real"));
        return cache == Cache::kWhere ? where(here, tenon::unsqueeze(row, -2), rows) : put(rows, place, row);
    }

    static Value row_of(Value rows, Value place) {
        return tenon::squeeze(take_along(rows, tenon::unsqueeze(tenon::unsqueeze(place)), -2), -2);
    }
    static Value attended(Value query, Value keys, Value values, Value seen) {
        const Value scores = tenon::squeeze(linear(tenon::unsqueeze(query, -2), keys), -2) / 8;
        const Value weights = softmax(where(seen, scores, -1e9));
        return tenon::squeeze(linear(tenon::unsqueeze(weights, -2), transpose(values)), -2);
    }

    void update(const Graph& g) const {
        const Value words = g.parameter("words", {kVocabulary, kUnits}, tenon::normal(1));
        const std::array layers{Layer(g, "0"), Layer(g, "1")};
        const Value first = argmax(g.batch()["observation"]);
        const Value none = tenon::unsqueeze(tenon::unsqueeze(0 * tenon::cast(first, "real"))) +
                           tenon::unsqueeze(0 * tenon::count_up(kPlaces)) +
                           0 * tenon::unsqueeze(tenon::count_up(kUnits), -2);
        const std::vector<In> carried{
            first, tenon::whole(kPrompt) + tenon::whole(0) * tenon::whole(1), none, none, none, none};
        const std::vector<Value> out =
            tenon::scan(tenon::Steps{"answer", count}, carried, {}, [&](std::span<const Value> in) {
                Value x = take(words, in[0]);
                const Value seen = tenon::count_up(kPlaces) <= tenon::cast(in[1], "real");
                std::vector<Value> next{in[0], in[1] + tenon::whole(1)};
                for (std::size_t i = 0; i < layers.size(); ++i) {
                    const Value keys = put_into(in[2 + 2 * i], in[1], linear(x, layers[i].key));
                    const Value values = put_into(in[3 + 2 * i], in[1], linear(x, layers[i].value));
                    const Value mixed = cache == Cache::kWrites
                                            ? row_of(keys, in[1]) * row_of(values, in[1])
                                            : attended(linear(x, layers[i].query), keys, values, seen);
                    x = x + linear(mixed, layers[i].out);
                    const Value wide = linear(x, layers[i].wide);
                    x = x + linear(0.5 * wide * (1 + erf(0.7071067811865476 * wide)), layers[i].narrow);
                    next.push_back(keys);
                    next.push_back(values);
                }
                const Value logits = 0.1 * linear(x, words);
                const Value said = argmax(logits - log(-log(random_uniform(logits, "gumbel"))));
                next[0] = said;
                next.push_back(said);
                next.push_back(gather(log_softmax(logits), said));
                return next;
            });
        g.stage("all", {.owns = {"objective"}});
        g.rows("all.none", sum(g.batch()["observation"]) * g.parameter("scale", {}, tenon::constant(1)));
        g.write("tokens", tenon::cast(collect(out[6], "answer"), "real"));
        g.write("log_probs", stop_gradient(collect(out[7], "answer")));
    }
};

enum class Wrong { kNoFlag, kSizes, kNoRows, kOnlyCarried, kFill };

template <Wrong what>
struct Mistaken {
    void update(const Graph& g) const {
        const Value x = g.batch()["observation"];
        const double fill = what == Wrong::kFill ? 1e308 * 10 : 0;
        const Value start = what == Wrong::kNoRows ? Value(g.parameter("start", {}, tenon::constant(0))) : sum(x);
        const auto out = tenon::scan(tenon::Steps{.name = "n", .count = 3, .fill = fill}, {start}, {},
                                     [&](std::span<const Value> in) {
                                         const Value next = in[0] + 1;
                                         if constexpr (what == Wrong::kOnlyCarried) {
                                             return tenon::until(next, {});
                                         }
                                         const Value done = what == Wrong::kNoFlag   ? next
                                                            : what == Wrong::kSizes  ? x > tenon::unsqueeze(next)
                                                            : what == Wrong::kNoRows ? sum(x) > next
                                                                                     : next > 0;
                                         return tenon::until(done, {next, argmax(x) + tenon::cast(next, "int")});
                                     });
        g.stage("all", {.owns = {"objective"}});
        g.rows("all.none", mean(collect(out[0], "n")) * g.parameter("scale", {}, tenon::constant(1)));
    }
};

struct PutsWrongly {
    void update(const Graph& g) const {
        const Value x = g.batch()["observation"];
        g.stage("all", {.owns = {"objective"}});
        g.rows("all.one", sum(put(x, argmax(x), argmax(x), -1)));
        g.rows("all.two", sum(put(x, x, 1.0, -1)));
        g.rows("all.three", sum(put(x, argmax(x), x, -1)));
        g.rows("all.four", sum(put(x, argmax(x), 1.0)));
        g.rows("all.five", sum(put(x, tenon::unsqueeze(argmax(x)), 1.0, -1)));
    }
};

}  // namespace

namespace tenon::test {

Author token_author(const char* name) {
    static const std::map<std::string, Author> authors = {{"Speaks", made<Speaks<true>>()},
                                                          {"SpeaksStepByStep", made<Speaks<false>>()},
                                                          {"Counts", made<Counts>()},
                                                          {"NoFlag", made<Mistaken<Wrong::kNoFlag>>()},
                                                          {"Sizes", made<Mistaken<Wrong::kSizes>>()},
                                                          {"NoRows", made<Mistaken<Wrong::kNoRows>>()},
                                                          {"OnlyCarried", made<Mistaken<Wrong::kOnlyCarried>>()},
                                                          {"Fill", made<Mistaken<Wrong::kFill>>()},
                                                          {"PutsWrongly", made<PutsWrongly>()},
                                                          {"Samples16", made<Samples<16, Cache::kPut>>()},
                                                          {"Samples64", made<Samples<64, Cache::kPut>>()},
                                                          {"Samples128", made<Samples<128, Cache::kPut>>()},
                                                          {"SamplesWithWhere16", made<Samples<16, Cache::kWhere>>()},
                                                          {"SamplesWithWhere64", made<Samples<64, Cache::kWhere>>()},
                                                          {"SamplesWithWhere128", made<Samples<128, Cache::kWhere>>()},
                                                          {"Writes16", made<Samples<16, Cache::kWrites>>()},
                                                          {"Writes64", made<Samples<64, Cache::kWrites>>()},
                                                          {"Writes128", made<Samples<128, Cache::kWrites>>()}};
    const auto found = authors.find(name);
    return found == authors.end() ? Author{} : found->second;
}

}  // namespace tenon::test
