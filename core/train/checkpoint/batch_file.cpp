// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/batch_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "base/file/atomic.hpp"
#include "train/checkpoint/safetensors.hpp"

namespace tenon {
namespace {

constexpr const char* kBatchFormat = "tenon batch/1";

StoredTensor stored_column(const BatchColumn& column) {
    return {.name = column.key,
            .dtype = static_cast<std::int32_t>(column.view.dtype),
            .shape = stored_extents({}, column.view.shape),
            .data = column.view.data};
}

// "[64, 8]" as to_string writes it; nothing if it is anything else.
std::optional<Shape> shape_in(std::string_view text) {
    std::vector<std::int64_t> extents;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    at += text.empty() ? 0 : 1;
    while (at < end && *at != ']') {
        const auto read = std::from_chars(at, end, extents.emplace_back());
        if (read.ec != std::errc() || extents.back() < 0) {
            return std::nullopt;
        }
        at = read.ptr;
        at += end - at > 1 && at[0] == ',' && at[1] == ' ' ? 2 : 0;
    }
    const bool fits = extents.size() <= kMaxRank;
    const Shape shape = fits ? Shape(std::span<const std::int64_t>(extents)) : Shape();
    return fits && to_string(shape) == text ? std::optional(shape) : std::nullopt;
}

std::vector<std::string> listed_keys(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

// Adds a tensor as a view of the file, or as a copy if the file does not align it (as files of other programs may not).
Status add_column(Batch& batch, const StoredTensor& tensor, const std::shared_ptr<const SafetensorsFile>& file) {
    if (tensor.shape.size() > kMaxRank) {
        return input_problem("'" + tensor.name + "' has more than " + std::to_string(kMaxRank) + " dimensions");
    }
    const auto dtype = static_cast<DType>(tensor.dtype);
    const View view = dense(const_cast<void*>(tensor.data),  // the mapping may be written to
                            dtype, Shape(std::span<const std::int64_t>(tensor.shape)));
    if (has_odd_flags(tensor)) {
        return input_problem("'" + tensor.name + "' has a byte other than 0 and 1, but is BOOL");
    }
    Status set = batch.set(tensor.name, view, file);
    if (!set || reinterpret_cast<std::uintptr_t>(tensor.data) % size_of(dtype) == 0) {
        return set;
    }
    const View fresh = TENON_TRY(batch.add(tensor.name, dtype, tail(view.shape, batch.leading().rank)));
    copy(view, fresh);
    return {};
}

}  // namespace

Status save_batch(const Batch& batch, const std::filesystem::path& file) {
    std::vector<Batch> copies;
    std::vector<StoredTensor> tensors;
    std::string keys;
    for (const BatchColumn& column : batch.columns()) {
        keys += (keys.empty() ? "" : " ") + column.key;
        if (column.view.contiguous()) {
            tensors.push_back(stored_column(column));
            continue;
        }
        const std::array<std::string_view, 1> key = {column.key};
        const Result<Batch> one = batch.select(key);
        copies.push_back(TENON_TRY(one ? one->clone() : one));
        tensors.push_back(stored_column(copies.back().columns()[0]));
    }
    std::vector<StoredTensor> sorted;
    for (const std::size_t size : {std::size_t{8}, std::size_t{4}, std::size_t{1}}) {
        std::ranges::copy_if(tensors, std::back_inserter(sorted), [&](const StoredTensor& tensor) {
            return size_of(static_cast<DType>(tensor.dtype)) == size;
        });
    }
    const TensorMetadata about = {{"format", kBatchFormat}, {"leading", to_string(batch.leading())}, {"keys", keys}};
    return write_file(
        file, [&](const std::filesystem::path& temporary) { return write_safetensors(temporary, sorted, about); });
}

Result<Batch> load_batch(const std::filesystem::path& path, std::uint32_t leading) {
    SafetensorsFile opened = TENON_TRY(SafetensorsFile::open(path, Mapping::kCopyOnWrite));
    const auto file = std::make_shared<const SafetensorsFile>(std::move(opened));
    const auto wrong = [&](const std::string& what) {
        return input_problem(path.string() + " holds no batch: " + what);
    };
    Shape shape;
    std::vector<std::string> keys;
    if (file->text("format") == kBatchFormat) {
        const std::optional<Shape> given = shape_in(file->text("leading"));
        if (!given) {
            return wrong("\"leading\" in its metadata is no list of dimensions");
        }
        shape = *given;
        keys = listed_keys(file->text("keys"));
    } else if (!file->tensors().empty()) {
        const std::vector<std::int64_t>& first = file->tensors().front().shape;
        if (first.size() < leading || leading > kMaxRank) {
            return wrong("'" + file->tensors().front().name + "' has fewer than " + counted(leading, "dimension"));
        }
        shape = Shape(std::span(first).first(leading));
    }
    if (keys.empty()) {
        for (const StoredTensor& tensor : file->tensors()) {
            keys.push_back(tensor.name);
        }
    }
    if (keys.size() != file->tensors().size()) {
        return wrong("\"keys\" in its metadata are not its tensors");
    }
    Batch out(shape);
    for (const std::string& key : keys) {
        const StoredTensor* const tensor = file->find(key);
        if (tensor == nullptr) {
            return wrong("there is no tensor '" + key + "'");
        }
        if (Status added = add_column(out, *tensor, file); !added) {
            return wrong(added.error().sentence);
        }
    }
    return out;
}

}  // namespace tenon
