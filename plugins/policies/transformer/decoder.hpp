// SPDX-License-Identifier: Apache-2.0
// A decoder over tokens: a prompt, then an answer. The prompt without its last token is computed once for all answers
// to it. Each later token gives the logits of the next one: all at once if the answer is known (whole), otherwise one
// by one with a cache.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "blocks.hpp"
#include "tenon/build.hpp"
#include "tenon/text.hpp"
#include "tenon/transformer.hpp"

namespace transformer {

// Rows that queries attend to, each [.., m, width].
struct Rows {
    Value keys;
    Value values;
};

// The sizes that a prompt and an answer have, and how many tokens there are of each.
struct Sizes {
    std::int64_t prompt = 1;
    std::int64_t answer = 1;
    std::int64_t prompt_tokens = 2;
    std::int64_t answer_tokens = 2;
};

// The tokens of a column: one size, and the same number of choices everywhere.
inline std::int64_t tokens_of(const tn_spec& spec, const std::string& key) {
    const std::span categories(spec.categories, spec.category_count);
    if (spec.kind != TN_SPEC_MULTI_CATEGORICAL || spec.rank != 1 ||
        std::ranges::count(categories, categories.front()) != std::ssize(categories)) {
        throw tenon::InvalidArgument("it reads tokens, but '" + key +
                                     "' is not a row of choices among the same number of tokens");
    }
    return categories.front();
}

struct Decoder : Blocks {
    std::string prompt;
    std::string prompt_length;
    bool tied = true;
    std::int64_t vocabulary = 0;
    std::int64_t context = 0;

    // What the layers keep of the tokens so far.
    using Cache = std::vector<Rows>;

    [[nodiscard]] Sizes sizes(const tenon::Graph& g) const {
        const std::string column = key(g);
        const tn_spec* const asked = g.spec(column.c_str());
        const tn_spec* const answer = g.spec("action");
        if (asked == nullptr || answer == nullptr) {
            return {};
        }
        const std::int64_t prompt_tokens = tokens_of(*asked, column), answer_tokens = tokens_of(*answer, "action");
        const Sizes out{asked->shape[0], answer->shape[0], prompt_tokens, answer_tokens};
        const auto check = [](std::int64_t has, std::int64_t needs, const char* option, const std::string& what) {
            if (has != 0 && has < needs) {
                throw tenon::InvalidArgument(option + (" is " + std::to_string(has)) + ", but " + what + " " +
                                             std::to_string(needs) + " tokens");
            }
        };
        check(vocabulary, prompt_tokens, "vocabulary", "'" + column + "' is made of");
        check(vocabulary, answer_tokens, "vocabulary", "'action' is made of");
        check(context, out.prompt + out.answer, "context", "a prompt with its answer has");
        if (!lengths(g).empty() && prompt_length.empty() && (asked->flags & TN_SPEC_TEXT_LAST) == 0) {
            throw tenon::InvalidArgument("the tokens of '" + column +
                                         "' are the first ones of its column, but a prompt is followed by its answer, "
                                         "so they must be the last ones");
        }
        return out;
    }

    // All tokens of the prompt but the last.
    [[nodiscard]] Cache read(const tenon::Graph& g, const Sizes& sizes) const {
        Cache out;
        const std::int64_t n = sizes.prompt - 1;
        if (n == 0) {
            return out;
        }
        const Value rows = tenon::count_up(n);
        const Value places = placed(g, sizes, rows);
        const Value x = embedded(g, sizes, slice(g.batch()[key(g).c_str()], 0, n), places);
        blocks(g, x, places, [&](std::int64_t, Value queries, Value keys, Value values) {
            out.push_back({keys, values});
            return attend(queries, {keys, values}, {.causal = true, .allowed = used(g, sizes, n)});
        });
        return out;
    }

    [[nodiscard]] Value last_of_prompt(const tenon::Graph& g, const Sizes& sizes) const {
        return slice(g.batch()[key(g).c_str()], sizes.prompt - 1, 1);
    }

    // The rows of the prompt, and these after them.
    [[nodiscard]] static Rows behind(const Cache& cache, std::int64_t layer, const Rows& rows) {
        if (cache.empty()) {
            return rows;
        }
        const Rows& prompt = cache[static_cast<std::size_t>(layer)];
        return {tenon::concat({prompt.keys, rows.keys}, -2), tenon::concat({prompt.values, rows.values}, -2)};
    }

    // Which of the first `rows` keys are of the prompt or follow it: bool [.., rows]; nothing if all are.
    [[nodiscard]] std::optional<Value> used(const tenon::Graph& g, const Sizes& sizes, std::int64_t rows) const {
        return lengths(g).empty() ? std::nullopt : std::optional(tenon::count_up(rows) >= unsqueeze(padding(g, sizes)));
    }

    // If keys have fewer heads than queries, neighbouring heads share them.
    [[nodiscard]] Value attend(Value queries, const Rows& seen, const tenon::Attending& how) const {
        const auto of_each_head = [&](Value rows) {
            const std::int64_t size = width / heads;
            std::vector<tenon::In> out;
            for (std::int64_t head = 0; head < heads; ++head) {
                out.emplace_back(slice(rows, head * key_heads / heads * size, size));
            }
            return tenon::concat(out);
        };
        const bool shared = key_width() != width;
        return tenon::attention(queries, shared ? of_each_head(seen.keys) : seen.keys,
                                shared ? of_each_head(seen.values) : seen.values, heads, how);
    }

    // The output after each token: tokens [.., n] at places [.., n]. see(layer, queries, keys, values) attends to the
    // rows that queries see.
    template <class See>
    [[nodiscard]] Value after(const tenon::Graph& g, const Sizes& sizes, Value tokens, Value places, See see) const {
        places = placed(g, sizes, places);
        return blocks(g, embedded(g, sizes, tokens, places), places, see);
    }

    // The same for all tokens behind the prompt at once.
    [[nodiscard]] Value after_prompt(const tenon::Graph& g, const Sizes& sizes, Value tokens, Value places) const {
        const Cache cache = read(g, sizes);
        return after(g, sizes, tokens, places, [&](std::int64_t layer, Value queries, Value keys, Value values) {
            const Rows seen = behind(cache, layer, {keys, values});
            const std::int64_t count = tenon::sizes_of(seen.keys).front();
            return attend(queries, seen, {.causal = true, .allowed = used(g, sizes, count)});
        });
    }

    // The output before each token of an answer [.., n].
    [[nodiscard]] Value whole(const tenon::Graph& g, const Sizes& sizes, Value answer) const {
        const std::int64_t n = sizes.answer;
        const Value last = last_of_prompt(g, sizes);
        const Value tokens = n == 1 ? last : tenon::concat(last, slice(answer, 0, n - 1));
        const Value places = tenon::count_up(n) + static_cast<double>(sizes.prompt - 1);
        return after_prompt(g, sizes, tokens, places);
    }

    // The output after each token of a row [.., n] of several examples, each of which sees its own tokens alone.
    // `first`
    // [.., n]: where the example of a token begins.
    [[nodiscard]] Value after_packed(const tenon::Graph& g, const Sizes& sizes, Value tokens, Value first) const {
        const Value places = tenon::count_up(tenon::sizes_of(tokens).front()) - cast(first, "real");
        return blocks(g, embedded(g, sizes, tokens, places), places,
                      [&](std::int64_t, Value queries, Value keys, Value values) {
                          return attend(queries, {keys, values}, {.causal = true, .allowed = first});
                      });
    }

    // The logits of the next token after an output.
    [[nodiscard]] Value logits(const tenon::Graph& g, const Sizes& sizes, Value x) const {
        const std::int64_t all = vocabulary == 0 ? sizes.answer_tokens : vocabulary;
        const Value weights =
            tied ? table(g, sizes) : g.parameter("head.weight", {all, width}, tenon::default_init(width).weight);
        const bool is_whole = tenon::sizes_of(weights).front() == sizes.answer_tokens;
        return linear(x, is_whole ? weights : slice(weights, 0, sizes.answer_tokens, -2));
    }

    static constexpr auto options = std::tuple_cat(
        Blocks::options,
        std::tuple{
            tenon::option<&Decoder::positions>("positions", "learnt", "learnt|rotary", "how it knows a token's place"),
            tenon::option<&Decoder::tied>("tied", true, "",
                                          "whether the vectors of tokens are also the weights of the last layer"),
            tenon::option<&Decoder::key_heads>("key_heads", 0, "[0,1000]",
                                               "heads of keys and values, which neighbouring heads share; 0: as many "
                                               "as heads"),
            tenon::option<&Decoder::vocabulary>("vocabulary", 0, "[0,inf)",
                                                "tokens that have a vector; those of the env are the first. 0: the "
                                                "env's"),
            tenon::option<&Decoder::context>("context", 0, "[0,inf)",
                                             "learnt positions; 0: as many as a prompt and its answer have"),
            tenon::option<&Decoder::prompt>("prompt", "", "",
                                            "the column that is answered; empty: prompt or, if there is none, "
                                            "observation"),
            tenon::option<&Decoder::prompt_length>("prompt_length", "", "",
                                                   "the column with the number of tokens of a prompt, which are the "
                                                   "last ones of its column; empty: that of a text, otherwise all")});

private:
    // The column that is answered. Without one it is named as it should be.
    [[nodiscard]] std::string key(const tenon::Graph& g) const {
        const bool observes =
            prompt.empty() && g.spec("prompt", true) == nullptr && g.spec("observation", true) != nullptr;
        return !prompt.empty() ? prompt : observes ? "observation" : "prompt";
    }

    // The column with the number of tokens of a prompt; empty if prompts have no length.
    [[nodiscard]] std::string lengths(const tenon::Graph& g) const {
        return prompt_length.empty() ? tenon::length_key(g, key(g)) : prompt_length;
    }

    // How many tokens of the column precede a prompt.
    [[nodiscard]] Value padding(const tenon::Graph& g, const Sizes& sizes) const {
        const auto most = static_cast<double>(sizes.prompt);
        return clamp(most - cast(g.batch()[lengths(g).c_str()], "real"), 0.0, most - 1);
    }

    // The first token of a prompt has the place 0.
    [[nodiscard]] Value placed(const tenon::Graph& g, const Sizes& sizes, Value places) const {
        return lengths(g).empty() ? places : max(places - unsqueeze(padding(g, sizes)), 0.0);
    }

    [[nodiscard]] Value table(const tenon::Graph& g, const Sizes& sizes) const {
        const double deviation = 1 / std::sqrt(static_cast<double>(width));
        const std::int64_t count = std::max({sizes.prompt_tokens, sizes.answer_tokens, vocabulary});
        return g.parameter("tokens.weight", {count, width}, tenon::normal(deviation));
    }

    [[nodiscard]] Value embedded(const tenon::Graph& g, const Sizes& sizes, Value tokens, Value places) const {
        const Value x = take(table(g, sizes), tokens);
        if (positions != "learnt") {
            return x;
        }
        const std::int64_t most = context == 0 ? sizes.prompt + sizes.answer : context;
        const double deviation = 1 / std::sqrt(static_cast<double>(width));
        const Value of_places = g.parameter("positions.weight", {most, width}, tenon::normal(deviation));
        return x + take(of_places, cast(places, "int"));
    }
};

}  // namespace transformer
