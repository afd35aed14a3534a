// SPDX-License-Identifier: Apache-2.0
// Byte-level tokens by pairs that are merged (BPE), as GPT-2 has them: a folder with vocab.json, the number of each
// token, and merges.txt, the pairs in the order in which they are merged.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "files.hpp"
#include "json_line.hpp"
#include "words.hpp"

namespace text {

class Pairs {
public:
    Pairs(const std::string& folder, const std::string& end_token) {
        const std::string file = folder + "/vocab.json";
        std::unordered_map<std::string, std::int32_t> numbers;
        for (const auto& [name, value] : JsonLine::members(contents(file), file)) {
            std::int32_t number = -1;
            std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
            if (value.is_text || number < 0) {
                throw tenon::InvalidArgument(file + ": the token '" + name + "' has no number");
            }
            vocabulary_ = std::max(vocabulary_, std::int64_t{number} + 1);
            numbers[name == end_token ? name : bytes_of(name)] = number;
        }
        const auto found = numbers.find(end_token);
        if (found == numbers.end()) {
            throw tenon::InvalidArgument(file + " has no token '" + end_token +
                                         "'; end_token names the one that ends an answer");
        }
        end_ = found->second;
        read_merges(folder + "/merges.txt", numbers);
        for (int byte = 0; byte < 256; ++byte) {
            const auto one = numbers.find(std::string(1, static_cast<char>(byte)));
            if (one == numbers.end()) {
                throw tenon::InvalidArgument(file + " has no token for the byte " + std::to_string(byte) +
                                             "; only byte-level vocabularies are read, such as GPT-2's");
            }
            of_byte_[static_cast<std::size_t>(byte)] = one->second;
        }
    }

    [[nodiscard]] std::int64_t vocabulary() const { return vocabulary_; }
    [[nodiscard]] std::int32_t end() const { return end_; }

    void encode(std::string_view text, std::vector<std::int32_t>& out) const {
        std::vector<std::int32_t> word;
        while (!text.empty()) {
            const std::string_view next = first_word(text);
            text.remove_prefix(next.size());
            word.clear();
            for (const char c : next) {
                word.push_back(of_byte_[static_cast<unsigned char>(c)]);
            }
            merge(word);
            out.insert(out.end(), word.begin(), word.end());
        }
    }

private:
    struct Merge {
        std::int32_t rank = std::numeric_limits<std::int32_t>::max();
        std::int32_t into = 0;
    };
    static std::uint64_t key_of(std::int32_t a, std::int32_t b) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32U | static_cast<std::uint32_t>(b);
    }

    // Files write the bytes of a token as characters that can be seen: those of ASCII and Latin-1 that are no blanks
    // and no controls as themselves, the others in their order from U+0100 on.
    static std::string bytes_of(std::string_view shown) {
        std::string out;
        for (std::size_t at = 0; at < shown.size();) {
            const auto lead = static_cast<unsigned char>(shown[at]);
            const bool is_pair = lead >= 0xC0 && lead < 0xE0 && at + 1 < shown.size();
            std::uint32_t code =
                is_pair ? (lead & 0x1FU) << 6U | (static_cast<unsigned char>(shown[at + 1]) & 0x3FU) : lead;
            at += is_pair ? 2 : 1;
            if (code >= 0x100) {
                const std::uint32_t number = code - 0x100;
                if (number >= 68) {
                    return std::string(shown);  // no bytes, but a token such as <|endoftext|>
                }
                code = number < 33 ? number : number < 67 ? number + 94 : 173;
            }
            out += static_cast<char>(code);
        }
        return out;
    }

    void read_merges(const std::string& file, const std::unordered_map<std::string, std::int32_t>& numbers) {
        const std::string all = contents(file);
        std::size_t line_number = 0;
        std::int32_t rank = 0;
        for (std::size_t begin = 0; begin < all.size();) {
            const std::size_t end = std::min(all.find('\n', begin), all.size());
            std::string_view line = std::string_view(all).substr(begin, end - begin);
            begin = end + 1;
            line.remove_suffix(line.ends_with('\r') ? 1 : 0);
            if (++line_number == 1 && line.starts_with("#version")) {
                continue;
            }
            const std::size_t blank = line.find(' ');
            if (line.empty()) {
                continue;
            }
            const std::string a = bytes_of(line.substr(0, blank));
            const std::string b = blank == std::string_view::npos ? "" : bytes_of(line.substr(blank + 1));
            const auto first = numbers.find(a), second = numbers.find(b), both = numbers.find(a + b);
            if (first == numbers.end() || second == numbers.end() || both == numbers.end()) {
                throw tenon::InvalidArgument(file + ", line " + std::to_string(line_number) +
                                             " is no pair of tokens of vocab.json");
            }
            merges_.try_emplace(key_of(first->second, second->second), Merge{rank++, both->second});
        }
    }

    // The pair that comes first in the file is merged first, everywhere in the word.
    void merge(std::vector<std::int32_t>& word) const {
        for (;;) {
            Merge best;
            for (std::size_t i = 0; i + 1 < word.size(); ++i) {
                const auto found = merges_.find(key_of(word[i], word[i + 1]));
                best = found != merges_.end() && found->second.rank < best.rank ? found->second : best;
            }
            if (best.rank == Merge().rank) {
                return;
            }
            std::size_t kept = 0;
            for (std::size_t i = 0; i < word.size(); ++kept) {
                const auto found = i + 1 < word.size() ? merges_.find(key_of(word[i], word[i + 1])) : merges_.end();
                const bool merged = found != merges_.end() && found->second.rank == best.rank;
                word[kept] = merged ? best.into : word[i];
                i += merged ? 2 : 1;
            }
            word.resize(kept);
        }
    }

    std::unordered_map<std::uint64_t, Merge> merges_;
    std::int32_t of_byte_[256] = {};
    std::int64_t vocabulary_ = 0;
    std::int32_t end_ = 0;
};

}  // namespace text
