// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/data/shape_text.hpp"
#include "base/error/listed.hpp"
#include "base/json/read.hpp"
#include "base/json/write.hpp"

namespace tenon {
namespace {

constexpr std::string_view kMetadataKey = "__metadata__";

struct Dtype {
    std::int32_t number;
    std::string_view name;
    std::uint64_t size;
};
constexpr std::array<Dtype, 8> kDtypes{{{TN_F64, "F64", 8},
                                        {TN_F32, "F32", 4},
                                        {TN_I64, "I64", 8},
                                        {TN_I32, "I32", 4},
                                        {TN_U8, "U8", 1},
                                        {TN_BOOL, "BOOL", 1},
                                        {TN_BF16, "BF16", 2},
                                        {TN_F16, "F16", 2}}};

const Dtype* dtype_of(std::int32_t number) {
    const auto* found =
        std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype& d) { return d.number == number; });
    return found == kDtypes.end() ? nullptr : found;
}

// A tensor in the header, before order and gaps are checked.
struct Entry {
    StoredTensor tensor;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// Reads a list of non-negative integers; false if it is anything else.
bool read_numbers(const Json* json, std::vector<std::int64_t>& numbers) {
    const JsonArray* list = json == nullptr ? nullptr : json->get<JsonArray>();
    if (list == nullptr) {
        return false;
    }
    for (const Json& element : *list) {
        const std::int64_t* number = element.get<std::int64_t>();
        if (number == nullptr || *number < 0) {
            return false;
        }
        numbers.push_back(*number);
    }
    return true;
}

Result<Entry> read_entry(const JsonMember& member, std::string_view subject) {
    Entry entry;
    entry.tensor.name = member.key;
    const std::string where = std::string(subject) + ": tensor '" + member.key + "'";
    const Json* dtype_json = member.value.find("dtype");
    const std::string* dtype_name = dtype_json == nullptr ? nullptr : dtype_json->get<std::string>();
    if (dtype_name == nullptr) {
        return input_problem(where + " has no dtype");
    }
    const auto* dtype =
        std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype& d) { return d.name == *dtype_name; });
    if (dtype == kDtypes.end()) {
        return input_problem(where + " has the dtype '" + *dtype_name +
                             "'; supported are F64, F32, BF16, F16, I64, I32, U8 and BOOL");
    }
    entry.tensor.dtype = dtype->number;
    if (!read_numbers(member.value.find("shape"), entry.tensor.shape)) {
        return input_problem(where + " has no shape of whole numbers");
    }
    std::vector<std::int64_t> offsets;
    if (!read_numbers(member.value.find("data_offsets"), offsets) || offsets.size() != 2 || offsets[0] > offsets[1]) {
        return input_problem(where + " has no data_offsets of two whole numbers, the first not above the second");
    }
    entry.begin = static_cast<std::uint64_t>(offsets[0]);
    entry.end = static_cast<std::uint64_t>(offsets[1]);
    const std::uint64_t size = TENON_TRY(stored_size(entry.tensor, subject));
    if (size != entry.end - entry.begin) {
        return input_problem(where + " is " + describe_stored(entry.tensor.dtype, entry.tensor.shape) + " and needs " +
                             counted(size, "byte") + ", but has " + std::to_string(entry.end - entry.begin));
    }
    return entry;
}

Status read_metadata(const Json& json, TensorMetadata& metadata, std::string_view subject) {
    const JsonObject* object = json.get<JsonObject>();
    if (object == nullptr) {
        return input_problem(std::string(subject) + ": __metadata__ is not an object");
    }
    for (const JsonMember& member : *object) {
        const std::string* text = member.value.get<std::string>();
        if (text == nullptr) {
            return input_problem(std::string(subject) + ": '" + member.key + "' in __metadata__ is not a string");
        }
        metadata[member.key] = *text;
    }
    return {};
}

// Entries in byte order must be contiguous and end where the data ends.
Status check_layout(const std::vector<Entry>& entries, std::uint64_t data_size, std::string_view subject) {
    std::uint64_t at = 0;
    for (const Entry& entry : entries) {
        if (entry.end > data_size) {
            return input_problem(std::string(subject) + " is cut off: tensor '" + entry.tensor.name +
                                 "' ends at byte " + std::to_string(entry.end) + " of the data, which has " +
                                 std::to_string(data_size));
        }
        if (entry.begin != at) {
            return input_problem(std::string(subject) + ": tensor '" + entry.tensor.name + "' begins at byte " +
                                 std::to_string(entry.begin) + " of the data, but the previous one ends at " +
                                 std::to_string(at));
        }
        at = entry.end;
    }
    if (at != data_size) {
        return input_problem(std::string(subject) + " has " + counted(data_size - at, "byte") +
                             " after the last tensor");
    }
    return {};
}

}  // namespace

std::string describe_stored(std::int32_t dtype, std::span<const std::int64_t> shape) {
    const Dtype* found = dtype_of(dtype);
    return (found == nullptr ? "dtype " + std::to_string(dtype) : std::string(found->name)) + " " + shape_text(shape);
}

Result<std::uint64_t> stored_size(const StoredTensor& tensor, std::string_view subject) {
    const Dtype* dtype = dtype_of(tensor.dtype);
    std::uint64_t size = dtype == nullptr ? 0 : dtype->size;
    bool possible = dtype != nullptr;
    for (const std::int64_t extent : tensor.shape) {
        possible = possible && extent >= 0 && !__builtin_mul_overflow(size, static_cast<std::uint64_t>(extent), &size);
    }
    if (!possible || size > INT64_MAX) {
        return input_problem(std::string(subject) + ": tensor '" + tensor.name + "' cannot be " +
                             describe_stored(tensor.dtype, tensor.shape));
    }
    return size;
}

Result<std::string> format_safetensors_header(std::span<const StoredTensor> tensors, const TensorMetadata& metadata,
                                              std::string_view subject) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    if (!metadata.empty()) {
        json.key(kMetadataKey).begin_object();
        for (const auto& [key, value] : metadata) {
            json.key(key).text(value);
        }
        json.end_object();
    }
    std::set<std::string_view> names{kMetadataKey};
    std::uint64_t at = 0;
    for (const StoredTensor& tensor : tensors) {
        if (!names.insert(tensor.name).second) {
            return input_problem(std::string(subject) + ": two tensors have the name '" + tensor.name + "'" +
                                 (tensor.name == kMetadataKey ? ", which is reserved for metadata" : ""));
        }
        const std::uint64_t size = TENON_TRY(stored_size(tensor, subject));
        if (__builtin_add_overflow(at, size, &at) || at > INT64_MAX) {
            return input_problem(std::string(subject) + ": the tensors up to '" + tensor.name +
                                 "' are too large for a file");
        }
        json.key(tensor.name).begin_object();
        json.key("dtype").text(dtype_of(tensor.dtype)->name);
        json.key("shape").begin_array();
        for (const std::int64_t extent : tensor.shape) {
            json.integer(extent);
        }
        json.end_array().key("data_offsets").begin_array();
        json.integer(static_cast<std::int64_t>(at - size)).integer(static_cast<std::int64_t>(at)).end_array();
        json.end_object();
    }
    json.end_object();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
}

Result<SafetensorsHeader> parse_safetensors_header(std::string_view text, std::uint64_t data_size,
                                                   std::string_view subject) {
    Json json = TENON_TRY(parse_json(text, std::string(subject) + ": the header"));
    const JsonObject* object = json.get<JsonObject>();
    if (object == nullptr) {
        return input_problem(std::string(subject) + ": the header is not a JSON object");
    }
    SafetensorsHeader header;
    std::vector<Entry> entries;
    for (const JsonMember& member : *object) {
        if (member.key == kMetadataKey) {
            TENON_TRY(read_metadata(member.value, header.metadata, subject));
            continue;
        }
        entries.push_back(TENON_TRY(read_entry(member, subject)));
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    TENON_TRY(check_layout(entries, data_size, subject));
    for (Entry& entry : entries) {
        header.tensors.push_back(std::move(entry.tensor));
        header.begins.push_back(entry.begin);
    }
    return header;
}

}  // namespace tenon
