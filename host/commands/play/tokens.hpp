// SPDX-License-Identifier: Apache-2.0
// Steps whose observations and actions are rows of tokens, such as the prompts and answers of a language model: what
// they hold, as numbers and as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/json/write.hpp"
#include "train/collect/evaluator.hpp"
#include "train/collect/score.hpp"

namespace tenon {

// The rows of a column: one, or one for each agent of its group. Those of an action have rewards.
struct TokenRows {
    std::string key;
    bool of_group = false;
    std::vector<std::vector<std::int64_t>> rows = {};
    std::vector<double> rewards = {};
};
using TokenStep = std::vector<TokenRows>;

// The names of tokens 0, 1, ..: the lines of a file. "bytes": tokens are bytes of text, and one more has no text.
Result<std::vector<std::string>> read_token_names(const std::filesystem::path& file);

// A line for each row: its tokens as numbers or, if there are names, as the text that they make. A token without a name
// is <NUMBER>.
std::string token_text(const TokenStep& step, const std::vector<std::string>& names);

// {"prompt": [..], "action": [..], "reward": ..}; those of a group are lists of these.
void put_step(JsonWriter& json, const TokenStep& step);

// Plays episodes as show_episodes does (screen.hpp), and passes on each step when it is complete. `growing` gets the
// step with the tokens of its answer so far, as they are computed, if it has one answer. An env whose actions are no
// rows of tokens is a problem.
Result<std::optional<Score>> play_tokens(Evaluator& evaluator, const RunNumbers& numbers, std::int64_t episodes,
                                         const std::function<void(const TokenStep&)>& shown,
                                         const std::function<void(const TokenStep&)>& growing, StopAsked stop);

}  // namespace tenon
