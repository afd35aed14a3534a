// SPDX-License-Identifier: Apache-2.0
// A hidden code of digits, guessed in several turns. An answer is one action, and its reward the share of its places
// that are right. The next prompt is that answer with its right places marked, so only a policy that reads it does
// better in the next turn: an episode is a conversation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "tenon/env.hpp"

struct Guess {
    std::int64_t length = 4;
    std::int64_t symbols = 3;
    std::int64_t turns = 2;
    std::vector<std::int64_t> code;
    std::vector<std::int64_t> prompt;
    std::int64_t turn = 0;

    static constexpr auto options =
        std::tuple{tenon::option<&Guess::length>("length", 4, "[1,1000]", "digits of the code"),
                   tenon::option<&Guess::symbols>("symbols", 3, "[2,1000]", "number of different digits"),
                   tenon::option<&Guess::turns>("turns", 2, "[1,1000]", "answers in an episode")};

    // A token of a prompt is a digit that was wrong, `symbols` and a digit that was right, or 2 symbols: no answer yet.
    [[nodiscard]] tenon::EnvSpec spec() const {
        const auto tokens = [&](const char* key, std::int64_t count) {
            return tenon::multi_categorical(key, std::vector(static_cast<std::size_t>(length), count));
        };
        return {.observations = {tokens("prompt", 2 * symbols + 1)}, .actions = {tokens("action", symbols)}};
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        code.resize(static_cast<std::size_t>(length));
        for (std::int64_t& digit : code) {
            digit = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(symbols)));
        }
        prompt.assign(code.size(), 2 * symbols);
        turn = 0;
        std::ranges::copy(prompt, row.observation<std::int64_t>().begin());
    }

    tenon::StepResult step(tenon::Rng& /*rng*/, const tenon::EnvRow& row) {
        const std::span<const std::int64_t> answer = row.action<std::int64_t>();
        double hits = 0;
        for (std::size_t i = 0; i < code.size(); ++i) {
            const bool is_right = answer[i] == code[i];
            hits += is_right ? 1 : 0;
            prompt[i] = answer[i] + (is_right ? symbols : 0);
        }
        std::ranges::copy(prompt, row.observation<std::int64_t>().begin());
        return {.reward = hits / static_cast<double>(code.size()), .terminated = ++turn == turns};
    }

    void state(tenon::Archive& archive) { archive(code, prompt, turn); }
};
