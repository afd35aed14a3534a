// SPDX-License-Identifier: Apache-2.0
// Computes a value over next columns (next_values.hpp) from the same value over the columns. Most of its rows are rows
// of that value one step later, and are copied. A separate tape computes the remaining rows, which are those after an
// episode's end and after the last step, several at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engines/compiled/next_values.hpp"
#include "engines/compiled/specialised.hpp"

namespace tenon::compiled {

class NextRows {
public:
    // The problem says what cannot be compiled. The learner must outlive it.
    static Result<std::shared_ptr<NextRows>> make(const Request& request, const UpdateGraph& update,
                                                  const NextValue& value);

    // Both are dense; `now` is the value over the columns.
    void run(const Call& call, const std::byte* now, std::byte* next);

    [[nodiscard]] const Tape& tape() const { return tape_; }
    // The sizes of all rows; they may change between runs.
    [[nodiscard]] Sizes& sizes() { return sizes_; }

private:
    struct Columns {
        NextValue::Columns ports;
        std::size_t row_bytes = 0;
        std::vector<std::byte> rows;  // rows of the next column to be computed
    };

    NextRows(const Request& request, const NextValue& value);
    [[nodiscard]] bool is_a_step_later(const Call& call, std::int64_t row) const;
    void put_off(const Call& call, std::int64_t row);
    void compute(const Call& call, std::byte* next);

    const Learner& learner_;
    Sizes sizes_;
    std::vector<Columns> columns_;
    std::vector<const void*> inputs_;    // of a call for some of the rows
    std::vector<std::int64_t> waiting_;  // the numbers of these rows
    Tape tape_;
    View result_;
    std::int64_t width_ = 0;  // elements per row of the value
    std::size_t element_bytes_ = 0;
};

}  // namespace tenon::compiled
