// SPDX-License-Identifier: Apache-2.0
#include "base/data/batch_edit.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/data/key.hpp"
#include "base/data/view_shape.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

Result<Batch> with_keys(const Batch& batch, std::string_view from, std::string_view to) {
    if (from.empty() || to.empty()) {
        return input_problem("the separator of keys must have at least one character");
    }
    Batch out(batch.leading());
    for (const BatchColumn& column : batch.columns()) {
        const std::string key = replaced(column.key, from, to);
        if (out.find(key) != nullptr) {
            return input_problem("'" + column.key + "' cannot become '" + key + "': another column has this key");
        }
        TENON_TRY(out.set(key, column.view, column.owner));
    }
    return out;
}

// The column of `to` into which the column `from` is copied. `leading`: the leading shape of the batch that has `from`.
Result<View> place_for(const BatchColumn& from, const Shape& leading, const Batch& to) {
    View view = TENON_TRY(to.get(from.key));
    const Shape row = tail(from.view.shape, leading.rank);
    const Shape existing = tail(view.shape, to.leading().rank);
    if (view.dtype != from.view.dtype || existing != row) {
        return input_problem("'" + from.key + "' is " + std::string(name_of(view.dtype)) + " " + to_string(existing) +
                             " a row, but what is written to it is " + std::string(name_of(from.view.dtype)) + " " +
                             to_string(row));
    }
    return view;
}

void zero_all(const View& view) {
    if (view.contiguous()) {
        if (view.shape.elements() > 0) {
            std::memset(view.data, 0, view.bytes());
        }
        return;
    }
    for (std::int64_t i = 0; i < view.shape[0]; ++i) {
        zero_all(view.index(0, i));
    }
}

}  // namespace

Result<Batch> exclude(const Batch& batch, std::span<const std::string_view> keys) {
    TENON_TRY(batch.select(keys));
    Batch out(batch.leading());
    for (const BatchColumn& column : batch.columns()) {
        if (std::ranges::any_of(keys, [&](std::string_view key) { return within(column.key, key); })) {
            continue;
        }
        TENON_TRY(out.set(column.key, column.view, column.owner));
    }
    return out;
}

Result<Batch> pop(Batch& batch, std::string_view key) {
    const std::span<const std::string_view> keys(&key, 1);
    Result<Batch> out = batch.select(keys);
    if (out) {
        batch = *exclude(batch, keys);
    }
    return out;
}

Status update(Batch& batch, const Batch& other) {
    Batch out = batch;
    TENON_TRY(out.put("", other));
    batch = std::move(out);
    return {};
}

Result<Batch> flatten_keys(const Batch& batch, std::string_view separator) {
    return with_keys(batch, ".", separator);
}

Result<Batch> unflatten_keys(const Batch& batch, std::string_view separator) {
    return with_keys(batch, separator, ".");
}

void zero(const Batch& batch) {
    for (const BatchColumn& column : batch.columns()) {
        zero_all(column.view);
    }
}

Status write(const Batch& to, const Batch& from) {
    if (to.leading() != from.leading()) {
        return input_problem("a batch of " + to_string(from.leading()) + " cannot be written to one of " +
                             to_string(to.leading()));
    }
    for (const BatchColumn& column : from.columns()) {
        TENON_TRY(place_for(column, from.leading(), to));
    }
    for (const BatchColumn& column : from.columns()) {
        copy(column.view, *to.find(column.key));
    }
    return {};
}

Status set_at(const Batch& to, std::span<const std::int64_t> rows, const Batch& from) {
    const Shape& leading = to.leading();
    const auto count = static_cast<std::int64_t>(rows.size());
    if (leading.rank == 0 || from.leading() != join(Shape{count}, tail(leading, 1))) {
        return input_problem("a batch of " + to_string(from.leading()) + " cannot be written to " +
                             counted(count, "row") + " of one of " + to_string(leading));
    }
    for (const std::int64_t row : rows) {
        if (row < 0 || row >= leading[0]) {
            return input_problem("row " + std::to_string(row) + " is not in a batch of " + to_string(leading));
        }
    }
    for (const BatchColumn& column : from.columns()) {
        TENON_TRY(place_for(column, from.leading(), to));
    }
    for (const BatchColumn& column : from.columns()) {
        const View& place = *to.find(column.key);
        for (std::int64_t i = 0; i < count; ++i) {
            copy(column.view.index(0, i), place.index(0, rows[static_cast<std::size_t>(i)]));
        }
    }
    return {};
}

Result<Batch> where(const View& condition, const Batch& a, const Batch& b) {
    if (a.leading() != b.leading() || a.columns().size() != b.columns().size()) {
        return input_problem("cannot choose between a batch of " + to_string(a.leading()) + " with " +
                             counted(a.columns().size(), "column") + " and one of " + to_string(b.leading()) +
                             " with " + std::to_string(b.columns().size()) +
                             "; both need the same leading dimensions and columns");
    }
    if (size_of(condition.dtype) != 1 || condition.shape != a.leading()) {
        return input_problem("the condition of a choice must be bool " + to_string(a.leading()) + ", not " +
                             std::string(name_of(condition.dtype)) + " " + to_string(condition.shape));
    }
    Batch out = TENON_TRY(b.clone());
    for (const BatchColumn& column : a.columns()) {
        TENON_TRY(place_for(column, a.leading(), out));
    }
    const Shape& leading = a.leading();
    for (std::int64_t row = 0; row < leading.elements(); ++row) {
        if (*nth_row(condition, leading, row).as<std::uint8_t>() == 0) {
            continue;
        }
        for (const BatchColumn& column : a.columns()) {
            copy(nth_row(column.view, leading, row), nth_row(*out.find(column.key), leading, row));
        }
    }
    return out;
}

}  // namespace tenon
