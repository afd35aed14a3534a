// SPDX-License-Identifier: Apache-2.0
// A language model as a policy: its action is the whole answer to a prompt. It lists the log-probability of each token,
// as a policy with several heads does, so that objectives have a ratio for each token. `distribution` has those of the
// tokens of the batch's action, each after the tokens before it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "decoder.hpp"
#include "drawing.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/region.hpp"

namespace transformer {

struct Language : Decoder, Drawing {
    std::string stored;
    bool draws = true;

    [[nodiscard]] std::array<Value, 2> sample(const tenon::Graph& g) const {
        if (!draws) {
            const Sizes n = sizes(g);
            return no_answer(n, cast(squeeze(last_of_prompt(g, n)), "real"));
        }
        const std::array<Value, 2> drawn = answer(g, true);
        return {drawn[0], stored == "whole" ? log_prob(g, drawn[0]) : drawn[1]};
    }
    [[nodiscard]] Value mode(const tenon::Graph& g) const { return answer(g, false)[0]; }

    [[nodiscard]] Value log_prob(const tenon::Graph& g, Value action) const {
        return counted(gather(log_softmax(scores(g, action)), action), action);
    }
    // The log-probability of each token of a row of several examples (after_packed); 0 for the first token.
    [[nodiscard]] Value packed(const tenon::Graph& g, Value tokens, Value first) const {
        const Sizes n = sizes(g);
        const std::int64_t last = tenon::sizes_of(tokens).front() - 1;
        const Value all = tempered(logits(g, n, slice(after_packed(g, n, tokens, first), 0, last, -2)));
        const Value found = gather(log_softmax(all), slice(tokens, 1, last));
        return tenon::concat(slice(found, 0, 1) * 0, found);
    }
    [[nodiscard]] Value distribution(const tenon::Graph& g) const {
        const Value all = scores(g, g.batch()["action"]);
        const Sizes n = sizes(g);
        return reshape(all, {n.answer * n.answer_tokens});
    }
    [[nodiscard]] Value kl_from(const tenon::Graph& g, Value distribution) const {
        const Value action = g.batch()["action"];
        const Sizes n = sizes(g);
        const tenon::Categorical other{reshape(distribution, {n.answer, n.answer_tokens})};
        return sum(counted(other.kl({scores(g, action)}), action));
    }

    static constexpr auto options = std::tuple_cat(
        Decoder::options, Drawing::options,
        std::tuple{tenon::option<&Language::stored>("log_prob", "drawn", "drawn|whole",
                                                    "which log-probabilities acting stores: those by which tokens were "
                                                    "drawn, one by one, or those of the whole "
                                                    "answer, computed again as updates compute them"),
                   tenon::option<&Language::draws>("draws", true, "",
                                                   "whether acting draws answers; false if the answers of the env are "
                                                   "learnt and the policy's own are not read: its actions are then "
                                                   "zeros, except in evaluations")});
    static constexpr auto functions =
        std::tuple{tenon::function<&Language::sample>("sample", "", "action log_prob"),
                   tenon::function<&Language::mode>("mode", "", "action"),
                   tenon::function<&Language::log_prob>("log_prob", "action", "log_prob"),
                   tenon::function<&Language::packed>("packed", "tokens first", "log_prob"),
                   tenon::function<&Language::distribution>("distribution", "", "distribution"),
                   tenon::function<&Language::kl_from>("kl_from", "distribution", "kl")};

private:
    // Zeros for all tokens of the answers, and for their log-probabilities.
    [[nodiscard]] static std::array<Value, 2> no_answer(const Sizes& n, Value last) {
        const Value zeros = unsqueeze(of_each_answer(last * 0)) + tenon::count_up(n.answer) * 0;
        return {cast(zeros, "int"), zeros};
    }

    // The logits of each token of an answer, [.., n, tokens].
    [[nodiscard]] Value scores(const tenon::Graph& g, Value action) const {
        const Sizes n = sizes(g);
        return tempered(logits(g, n, whole(g, n, action)));
    }

    // Numbers of tokens [.., n], without those after the answer's end.
    [[nodiscard]] Value counted(Value numbers, Value action) const {
        return stops() ? where(counts(action), numbers, 0.0) : numbers;
    }

    // Several answers to a prompt are the agents of a group. The prompt is the same for all of them.
    static Value of_each_answer(Value x) {
        for (const tn_spec* action : tenon::Graph::actions()) {
            if (action->struct_size >= offsetof(tn_spec, group) + sizeof(tn_str) && action->group.size > 0) {
                return spread(x, std::string(tenon::to_view(action->group)).c_str(), action->shape[0]);
            }
        }
        return x;
    }

    // Token by token. The loop carries the last token, how many there are, and the rows of each layer so far. Those of
    // the prompt come before them, and a mask leaves out rows that are not filled yet: the compiled executor reads both
    // where they are, and no more than what is filled.
    [[nodiscard]] std::array<Value, 2> answer(const tenon::Graph& g, bool sampled) const {
        const Sizes n = sizes(g);
        check_stop(n.answer_tokens);
        const Cache cache = read(g, n);
        const Value last = cast(squeeze(last_of_prompt(g, n)), "real");
        const Value zero = of_each_answer(last * 0);
        const Value none =
            unsqueeze(unsqueeze(zero)) + reshape(tenon::count_up(n.answer * key_width()) * 0, {n.answer, key_width()});
        std::vector<tenon::In> first{last + zero, 0.0};
        first.insert(first.end(), static_cast<std::size_t>(2 * layers), none);
        const auto before = static_cast<double>(n.prompt - 1);
        const std::int64_t all = n.prompt - 1 + n.answer;
        const std::optional<Value> of_prompt = used(g, n, all);
        const auto next_token = [&](std::span<const Value> in) {
            const Value count = in[1], place = cast(count, "int");
            const Value filled = tenon::count_up(all) <= unsqueeze(count + before);
            const Value seen_rows = of_prompt ? filled && *of_prompt : filled;
            std::vector<Value> next{{}, count + 1};
            const auto put_next = [&](Value row) {
                next.push_back(put(in[next.size()], place, squeeze(row, -2)));
                return next.back();
            };
            const Value x = after(g, n, unsqueeze(cast(in[0], "int")), unsqueeze(count + before),
                                  [&](std::int64_t layer, Value queries, Value key, Value value) {
                                      const Value keys = put_next(key);
                                      const Rows seen = behind(cache, layer, {keys, put_next(value)});
                                      return attend(queries, seen, {.allowed = seen_rows});
                                  });
            const Value scores = tempered(logits(g, n, squeeze(x, -2)));
            const Value token = sampled ? draw(scores) : argmax(scores);
            next[0] = cast(token, "real");
            next.push_back(gather(log_softmax(scores), token));
            return next;
        };
        const tenon::Steps steps{"action", n.answer};
        const std::vector<Value> out =
            stops() ? tenon::scan(steps, first, {},
                                  [&](std::span<const Value> in) {
                                      const std::vector<Value> next = next_token(in);
                                      return tenon::until(next[0] == static_cast<double>(stop), next);
                                  })
                    : tenon::scan(steps, first, {}, next_token);
        const Value tokens = cast(collect(out.front(), "action"), "int");
        const Value log_probs = collect(out[first.size()], "action");
        if (!stops()) {
            return {tokens, log_probs};
        }
        return {where(counts(tokens), tokens, tenon::whole(stop)), counted(log_probs, tokens)};
    }
};

}  // namespace transformer
