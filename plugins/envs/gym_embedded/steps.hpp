// SPDX-License-Identifier: Apache-2.0
// Steps of lanes without the detour over the slab, as a loop in Python does them: a call of step, and what it returned
// goes into the host's row. A step that returns anything unusual is left to the package, which has one way of checking
// it and of saying what is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bridge/rows.hpp"
#include "python.hpp"
#include "session.hpp"

namespace embedded {

// [the caller holds Python's lock]
class Steps {
public:
    explicit Steps(const Session& session);

    // Whether this fast way can step the environment: its only output is one observation, an array or a number. An
    // environment with infos or a mask is stepped through the slab.
    [[nodiscard]] bool apply() const { return kind_ != Kind::kOther; }

    // One lane. If it fails, the sentence says why.
    [[nodiscard]] std::optional<bridge::Failure> step(const tenon::BatchRow& row) const;

private:
    enum class Kind : std::uint8_t { kOther, kArray, kNumber };

    [[nodiscard]] Object* choice_of(const tenon::BatchRow& row) const;
    [[nodiscard]] Owned call_step(const tenon::BatchRow& row, Object* env) const;
    [[nodiscard]] bool write(Object* observation, std::span<std::byte> row) const;
    [[nodiscard]] bool write_array(Object* observation, std::span<std::byte> row) const;
    [[nodiscard]] bool write_number(Object* observation, std::span<std::byte> row) const;
    [[nodiscard]] std::optional<bridge::Failure> leave(const tenon::BatchRow& row, Object* stepped,
                                                       Object* begun = nullptr) const;

    const Session* session_;
    Kept steps_, envs_, dtype_, choices_, read_, actions_;
    Kept word_step_, word_reset_, word_dtype_, word_again_;
    Kind kind_ = Kind::kOther;
    std::int64_t start_ = 0;             // of a number
    std::vector<std::ptrdiff_t> shape_;  // of an array
    std::uint64_t choice_count_ = 0;
};

}  // namespace embedded
