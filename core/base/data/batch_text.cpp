// SPDX-License-Identifier: Apache-2.0
#include "base/data/batch_text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/data/key.hpp"
#include "base/data/view_shape.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

constexpr std::string_view kTextBytes = "bytes";
constexpr std::string_view kTextLength = "length";

}  // namespace

Status add_texts(Batch& batch, std::string_view key, std::span<const std::string_view> texts, std::int64_t width) {
    if (static_cast<std::int64_t>(texts.size()) != batch.leading().elements()) {
        return input_problem(std::to_string(texts.size()) + " texts do not fit a batch of " +
                             to_string(batch.leading()));
    }
    std::size_t longest = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        longest = std::max(longest, texts[i].size());
        const std::int64_t most = width > 0 ? width : std::numeric_limits<std::int32_t>::max();
        if (static_cast<std::int64_t>(texts[i].size()) > most) {
            return input_problem("text " + std::to_string(i) + " of '" + std::string(key) + "' has " +
                                 counted(texts[i].size(), "byte") + ", but the column has " + std::to_string(most));
        }
    }
    Batch out = batch;
    const Result<View> bytes =
        out.add(join_keys(key, kTextBytes), DType::kU8, Shape{width > 0 ? width : static_cast<std::int64_t>(longest)});
    const View length = TENON_TRY(bytes ? out.add(join_keys(key, kTextLength), DType::kI32, {}) : bytes);
    const auto row_bytes = static_cast<std::size_t>(bytes->shape[bytes->shape.rank - 1]);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!texts[i].empty()) {
            std::memcpy(bytes->as<char>() + i * row_bytes, texts[i].data(), texts[i].size());
        }
        length.as<std::int32_t>()[i] = static_cast<std::int32_t>(texts[i].size());
    }
    batch = std::move(out);
    return {};
}

Result<std::string> text_at(const Batch& batch, std::string_view key, std::int64_t row) {
    const View bytes = TENON_TRY(batch.get(join_keys(key, kTextBytes)));
    const View length = TENON_TRY(batch.get(join_keys(key, kTextLength)));
    const Shape& leading = batch.leading();
    if (row < 0 || row >= leading.elements()) {
        return input_problem("row " + std::to_string(row) + " is not in a batch of " + to_string(leading));
    }
    const bool fits = bytes.dtype == DType::kU8 && bytes.shape.rank == leading.rank + 1 &&
                      length.dtype == DType::kI32 && length.shape == leading;
    if (!fits) {
        return input_problem("'" + std::string(key) + "' is no text: it needs uint8 '" + join_keys(key, kTextBytes) +
                             "' and int32 '" + join_keys(key, kTextLength) + "'");
    }
    const View text = nth_row(bytes, leading, row);
    const std::int32_t size = *nth_row(length, leading, row).as<std::int32_t>();
    if (size < 0 || size > text.shape[0]) {
        return input_problem("the text '" + std::string(key) + "' of row " + std::to_string(row) + " has the length " +
                             std::to_string(size) + ", but its column has " + counted(text.shape[0], "byte"));
    }
    std::string out(static_cast<std::size_t>(size), '\0');
    copy(text.slice(0, 0, size), dense(out.data(), DType::kU8, Shape{size}));
    return out;
}

}  // namespace tenon
