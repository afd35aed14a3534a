// SPDX-License-Identifier: Apache-2.0
// Prompts of a file and their right answers, for supervised fine-tuning. Each episode is one example: the answer is the
// action, and its reward the share of the right tokens. With `pack` above 0 each frame also has a row of several whole
// examples, which a model learns at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "examples.hpp"
#include "tenon/env.hpp"

namespace text {

struct File {
    tenon::FilePath file;
    std::int64_t prompt_tokens = 0;
    std::int64_t answer_tokens = 0;
    std::int64_t pack = 0;
    std::string prompt_key;
    std::string answer_key;
    tenon::FilePath tokenizer;
    std::string end_token;
    std::int64_t vocabulary = 0;
    std::shared_ptr<const Examples> examples;
    std::vector<std::int32_t> target;
    std::vector<std::uint64_t> waiting;  // the place of the example that did not fit into the last packed row

    static constexpr auto options = std::tuple{
        tenon::required<&File::file>(
            "file", "",
            "a .jsonl file, of which each line is an object with a prompt and its answer; or a file of text, of which "
            "any piece is a prompt and what follows its answer"),
        tenon::option<&File::prompt_tokens>(
            "prompt_tokens", 0, "[0,1000000]",
            "tokens of the longest prompt, of which longer ones keep the last; 0: those "
            "of the file, or 64 of text"),
        tenon::option<&File::answer_tokens>(
            "answer_tokens", 0, "[0,1000000]",
            "tokens of the longest answer, of which longer ones keep the first; 0: those "
            "of the file, or 64 of text"),
        tenon::option<&File::pack>("pack", 0, "[0,1000000]",
                                   "tokens of a row of several examples in `packed`; 0: there is no such row"),
        tenon::option<&File::prompt_key>("prompt_key", "prompt", "", "the member of a line with the prompt"),
        tenon::option<&File::answer_key>("answer_key", "answer", "", "the member of a line with the answer"),
        tenon::option<&File::tokenizer>(
            "tokenizer", "", "",
            "a folder with vocab.json and merges.txt, such as GPT-2's; empty: the tokens are "
            "bytes, and 256 ends an answer"),
        tenon::option<&File::end_token>("end_token", "<|endoftext|>", "",
                                        "the token of vocab.json that ends an answer")};

    void setup() {
        if (file.path.empty()) {
            throw tenon::InvalidArgument("the option file is missing: the path of a .jsonl file or of one of text");
        }
        const Tokenizer by = tokenizer.path.empty() ? Tokenizer() : Tokenizer(tokenizer.path, end_token);
        vocabulary = by.vocabulary();
        examples = std::make_shared<const Examples>(read_examples(file.path, by, prompt_key, answer_key));
        find_sizes();
        if (examples->places.empty() && std::ssize(examples->tokens) <= prompt_tokens + answer_tokens) {
            throw tenon::InvalidArgument(file.path + " has " + std::to_string(examples->tokens.size()) +
                                         " tokens, but a prompt and its answer have " +
                                         std::to_string(prompt_tokens + answer_tokens));
        }
        if (pack > 0 && pack < prompt_tokens + answer_tokens) {
            throw tenon::InvalidArgument("pack is " + std::to_string(pack) + ", but a prompt and its answer may have " +
                                         std::to_string(prompt_tokens + answer_tokens) + " tokens");
        }
    }
    void share(const File& first) {
        examples = first.examples;
        vocabulary = first.vocabulary;
        find_sizes();
    }

    [[nodiscard]] tenon::EnvSpec spec() const {
        const tenon::Spec prompt = tenon::prompt("prompt", prompt_tokens, vocabulary);
        const tenon::Spec right = tenon::text("target", answer_tokens, vocabulary);
        const std::vector<std::int64_t> any(static_cast<std::size_t>(answer_tokens), vocabulary);
        tenon::EnvSpec out{.observations = {prompt, tenon::text_length(prompt)},
                           .actions = {tenon::multi_categorical("action", any)},
                           .reward = tenon::bounded("reward", {}, 0, 1),
                           .extras = {right, tenon::text_length(right)}};
        if (pack > 0) {
            const auto size = static_cast<std::size_t>(pack);
            out.extras.push_back(tenon::multi_categorical("packed", std::vector(size, vocabulary)));
            out.extras.push_back(tenon::multi_categorical("packed_first", std::vector(size, pack)));
            out.extras.push_back(tenon::bounded("packed_weight", {pack}, 0, 1));
        }
        return out;
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) { show(rng, row); }

    tenon::StepResult step(tenon::Rng& rng, const tenon::EnvRow& row) {
        const std::span<const std::int64_t> given = row.action<std::int64_t>();
        double right = 0;
        for (std::size_t i = 0; i < target.size(); ++i) {
            right += given[i] == target[i] ? 1 : 0;
        }
        const double reward = right / static_cast<double>(target.size());
        show(rng, row);
        return {.reward = reward, .terminated = true};
    }

    void state(tenon::Archive& archive) { archive(target, waiting); }

private:
    void find_sizes() {
        constexpr std::int64_t kOfText = 64;
        const auto size = [&](std::int64_t chosen, std::size_t longest) {
            return chosen > 0 ? chosen : examples->places.empty() ? kOfText : static_cast<std::int64_t>(longest);
        };
        prompt_tokens = size(prompt_tokens, examples->longest_prompt());
        answer_tokens = size(answer_tokens, examples->longest_answer());
    }

    // An example, or its part that fits into the columns.
    [[nodiscard]] Examples::Place draw(tenon::Rng& rng) const {
        const auto below = [&](std::size_t count) { return rng.below(static_cast<std::uint64_t>(count)); };
        const auto prompt = static_cast<std::size_t>(prompt_tokens), answer = static_cast<std::size_t>(answer_tokens);
        if (examples->places.empty()) {
            const std::size_t first = below(examples->tokens.size() - prompt - answer + 1);
            return {first, first + prompt, first + prompt + answer};
        }
        Examples::Place out = examples->places[below(examples->places.size())];
        out.prompt = std::max(out.prompt, out.answer - std::min(prompt, out.answer));
        out.end = std::min(out.end, out.answer + answer);
        return out;
    }

    void show(tenon::Rng& rng, const tenon::EnvRow& row) {
        const Example next = examples->at(draw(rng));
        target.assign(next.answer.begin(), next.answer.end());
        const std::span<std::int64_t> prompt = row.observation<std::int64_t>();
        std::ranges::fill(prompt, 0);
        std::ranges::copy(next.prompt, prompt.end() - std::ssize(next.prompt));
        row.observation<std::int64_t>(1).front() = std::ssize(next.prompt);
        const std::span<std::int64_t> right = row.extra<std::int64_t>(0);
        std::ranges::fill(right, 0);
        std::ranges::copy(next.answer, right.begin());
        row.extra<std::int64_t>(1).front() = std::ssize(next.answer);
        if (pack > 0) {
            show_packed(rng, row);
        }
    }

    // Examples one after the other, as many as fit. The next row begins with the one that does not. Of each token the
    // row says where its example begins, and its weight: the tokens of an answer together have 1, all others 0.
    void show_packed(tenon::Rng& rng, const tenon::EnvRow& row) {
        const std::span<std::int64_t> tokens = row.extra<std::int64_t>(2), first = row.extra<std::int64_t>(3);
        const std::span<float> weight = row.extra<float>(4);
        Examples::Place next = waiting.empty() ? draw(rng) : Examples::Place{waiting[0], waiting[1], waiting[2]};
        std::size_t at = 0;
        for (; at + (next.end - next.prompt) <= tokens.size(); next = draw(rng)) {
            const auto begin = static_cast<std::int64_t>(at);
            const float each = 1 / static_cast<float>(next.end - next.answer);
            for (std::size_t token = next.prompt; token < next.end; ++token, ++at) {
                tokens[at] = examples->tokens[token];
                first[at] = begin;
                weight[at] = token >= next.answer ? each : 0;
            }
        }
        for (; at < tokens.size(); ++at) {  // padding attends to itself
            tokens[at] = 0;
            first[at] = static_cast<std::int64_t>(at);
            weight[at] = 0;
        }
        waiting = {next.prompt, next.answer, next.end};
    }
};

}  // namespace text
