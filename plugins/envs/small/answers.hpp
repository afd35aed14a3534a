// SPDX-License-Identifier: Apache-2.0
// Prompts of digits that are to be answered by as many digits. An answer is one action, and its reward is the share of
// its places that are right. With `answers` above 0 each prompt gets that many answers, which are the agents of the
// group "answers". A prompt may be shorter than its column; it is then the last tokens of the column.
#pragma once

#include <algorithm>
#include <array>
#include <functional>

#include "tenon/env.hpp"

template <class Rule>
struct Answers {
    std::int64_t length = 6;
    std::int64_t symbols = 10;
    std::int64_t answers = 8;
    std::int64_t shortest = 0;
    std::vector<std::int64_t> prompt;

    static constexpr auto options = std::tuple{
        tenon::option<&Answers::length>("length", 6, "[1,1000]", "digits of a prompt and of an answer"),
        tenon::option<&Answers::symbols>("symbols", 10, "[2,1000]", "number of different digits"),
        tenon::option<&Answers::answers>("answers", 8, "[0,1000]",
                                         "answers to each prompt, which are the agents of the group \"answers\"; 0: "
                                         "one answer, without a group"),
        tenon::option<&Answers::shortest>("shortest", 0, "[0,1000]",
                                          "digits of the shortest prompts; only as many digits of an answer count. 0: "
                                          "all have `length`")};

    // `target` is the right answer. `chosen` and `rejected` are a pair of answers of which the first has more right
    // places.
    [[nodiscard]] tenon::EnvSpec spec() const {
        const tenon::Spec action = of_digits("action");
        if (shortest > length) {
            throw tenon::InvalidArgument("the shortest prompts have " + std::to_string(shortest) +
                                         " digits, but the longest " + std::to_string(length));
        }
        tenon::EnvSpec out{.observations = {of_digits("prompt")},
                           .actions = {answers == 0 ? action : tenon::of_group("answers", answers, action)},
                           .extras = {of_digits("target"), of_digits("chosen"), of_digits("rejected")}};
        if (shortest > 0) {
            out.observations = {tenon::prompt("prompt", length, symbols)};
            out.extras.front() = tenon::text("target", length, symbols);
            out.observations.push_back(tenon::text_length(out.observations.front()));
            out.extras.push_back(tenon::text_length(out.extras.front()));
        }
        if (answers > 0) {
            out.rewards = {tenon::of_group("answers", answers, tenon::bounded("reward", {}, 0, 1))};
        }
        return out;
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        const std::int64_t more = shortest == 0 ? 0 : length - shortest;
        const std::int64_t drawn =
            more == 0 ? 0 : static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(more) + 1));
        prompt.resize(static_cast<std::size_t>(length - drawn));
        for (std::int64_t& digit : prompt) {
            digit = any(rng);
        }
        show(rng, row);
    }

    tenon::StepResult step(tenon::Rng& rng, const tenon::EnvRow& row) {
        const std::span<const std::int64_t> given = row.action<std::int64_t>();
        const std::vector<std::int64_t> target = Rule::answer(prompt);
        double total = 0;
        for (std::size_t i = 0; i < count(); ++i) {
            const double share = right(given.subspan(i * size(), target.size()), target);
            if (answers > 0) {
                row.reward<float>()[i] = static_cast<float>(share);
            }
            total += share;
        }
        show(rng, row);
        return {.reward = total / static_cast<double>(count()), .terminated = true};
    }

    void state(tenon::Archive& archive) { archive(prompt); }

private:
    [[nodiscard]] tenon::Spec of_digits(const char* key) const {
        return tenon::multi_categorical(key, std::vector(static_cast<std::size_t>(length), symbols));
    }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(length); }
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(std::max<std::int64_t>(answers, 1)); }
    [[nodiscard]] std::int64_t any(tenon::Rng& rng) const {
        return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(symbols)));
    }

    static double right(std::span<const std::int64_t> answer, std::span<const std::int64_t> target) {
        double hits = 0;
        for (std::size_t i = 0; i < target.size(); ++i) {
            hits += answer[i] == target[i] ? 1 : 0;
        }
        return hits / static_cast<double>(target.size());
    }

    static void put(const std::vector<std::int64_t>& answer, std::span<std::int64_t> column) {
        std::ranges::fill(column, 0);
        std::ranges::copy(answer, column.begin());
    }

    void show(tenon::Rng& rng, const tenon::EnvRow& row) const {
        const std::vector<std::int64_t> target = Rule::answer(prompt);
        const std::span<std::int64_t> shown = row.observation<std::int64_t>();
        std::ranges::fill(shown, 0);
        std::ranges::copy(prompt, shown.end() - static_cast<std::ptrdiff_t>(prompt.size()));
        if (shortest > 0) {
            row.observation<std::int64_t>(1).front() = static_cast<std::int64_t>(prompt.size());
            row.extra<std::int64_t>(3).front() = static_cast<std::int64_t>(target.size());
        }
        put(target, row.extra<std::int64_t>(0));
        show_pair(rng, row, target);
    }

    // Two copies of the right answer, each with its own number of places that are drawn again.
    void show_pair(tenon::Rng& rng, const tenon::EnvRow& row, const std::vector<std::int64_t>& target) const {
        std::array<std::vector<std::int64_t>, 2> pair;
        do {
            for (std::vector<std::int64_t>& one : pair) {
                one = target;
                const double spoilt = rng.uniform(0, 1);
                for (std::int64_t& digit : one) {
                    digit = rng.chance(spoilt) ? any(rng) : digit;
                }
            }
        } while (right(pair[0], target) == right(pair[1], target));
        const bool first = right(pair[0], target) > right(pair[1], target);
        put(pair[first ? 0 : 1], row.extra<std::int64_t>(1));
        put(pair[first ? 1 : 0], row.extra<std::int64_t>(2));
    }
};

struct InOrder {
    static std::vector<std::int64_t> answer(std::vector<std::int64_t> prompt) {
        std::ranges::sort(prompt);
        return prompt;
    }
};

struct Backwards {
    static std::vector<std::int64_t> answer(std::vector<std::int64_t> prompt) {
        std::ranges::reverse(prompt);
        return prompt;
    }
};

using Sort = Answers<InOrder>;
using Reverse = Answers<Backwards>;
