// SPDX-License-Identifier: Apache-2.0
// The examples of a file: prompts with their answers, as tokens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files.hpp"
#include "json_line.hpp"
#include "tenon/guard.hpp"
#include "tokenizer.hpp"

namespace text {

using Tokens = std::span<const std::int32_t>;

struct Example {
    Tokens prompt;
    Tokens answer;
};

struct Examples {
    // Where in `tokens` an example begins, where its answer does, and where it ends.
    struct Place {
        std::size_t prompt = 0;
        std::size_t answer = 0;
        std::size_t end = 0;
    };

    std::vector<std::int32_t> tokens;
    std::vector<Place> places;  // none: running text, of which each piece is an example

    [[nodiscard]] Example at(const Place& place) const {
        const Tokens all(tokens);
        return {all.subspan(place.prompt, place.answer - place.prompt),
                all.subspan(place.answer, place.end - place.answer)};
    }
    [[nodiscard]] std::size_t longest_prompt() const {
        return longest([](const Place& place) { return place.answer - place.prompt; });
    }
    [[nodiscard]] std::size_t longest_answer() const {
        return longest([](const Place& place) { return place.end - place.answer; });
    }

private:
    template <class Size>
    [[nodiscard]] std::size_t longest(Size size) const {
        std::size_t out = 0;
        for (const Place& place : places) {
            out = std::max(out, size(place));
        }
        return out;
    }
};

// A line of a .jsonl file is an example; answers end with the tokenizer's end. Any other file is running text.
inline Examples read_examples(const std::string& path, const Tokenizer& tokenizer, const std::string& prompt_key,
                              const std::string& answer_key) {
    const std::string all = contents(path);
    Examples out;
    if (!path.ends_with(".jsonl")) {
        tokenizer.encode(all, out.tokens);
        return out;
    }
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find('\n', begin), all.size());
        const std::string_view line = std::string_view(all).substr(begin, end - begin);
        begin = end + 1;
        const std::string subject = path + ", line " + std::to_string(++number);
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
            continue;
        }
        const JsonLine::Members members = JsonLine::members(line, subject);
        const auto text_of = [&](const std::string& key) -> const std::string& {
            const auto found = members.find(key);
            if (found == members.end() || !found->second.is_text) {
                std::string known;
                for (const auto& [name, member] : members) {
                    known += member.is_text ? (known.empty() ? "" : ", ") + name : "";
                }
                throw tenon::InvalidArgument(subject + " has no text '" + key + "'; " +
                                             (known.empty() ? "it has none" : "it has " + known) +
                                             ", and prompt_key and answer_key choose two of them");
            }
            return found->second.text;
        };
        Examples::Place place{.prompt = out.tokens.size()};
        tokenizer.encode(text_of(prompt_key), out.tokens);
        if (out.tokens.size() == place.prompt) {  // an answer follows at least one token
            out.tokens.push_back(tokenizer.end());
        }
        place.answer = out.tokens.size();
        tokenizer.encode(text_of(answer_key), out.tokens);
        out.tokens.push_back(tokenizer.end());
        place.end = out.tokens.size();
        out.places.push_back(place);
    }
    if (out.places.empty()) {
        throw tenon::InvalidArgument(path + " has no line with an example");
    }
    return out;
}

}  // namespace text
