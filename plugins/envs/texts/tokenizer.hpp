// SPDX-License-Identifier: Apache-2.0
// How text becomes tokens: by a vocabulary (pairs.hpp), or the bytes themselves and one more token that ends an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pairs.hpp"

namespace text {

class Tokenizer {
public:
    // Bytes.
    Tokenizer() = default;
    Tokenizer(const std::string& folder, const std::string& end_token) : pairs_(std::in_place, folder, end_token) {}

    [[nodiscard]] std::int64_t vocabulary() const { return pairs_ ? pairs_->vocabulary() : 257; }
    [[nodiscard]] std::int32_t end() const { return pairs_ ? pairs_->end() : 256; }

    // Appends the tokens of a text.
    void encode(std::string_view text, std::vector<std::int32_t>& out) const {
        if (pairs_) {
            pairs_->encode(text, out);
            return;
        }
        for (const char c : text) {
            out.push_back(static_cast<unsigned char>(c));
        }
    }

private:
    std::optional<Pairs> pairs_;
};

}  // namespace text
