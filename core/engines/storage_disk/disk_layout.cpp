// SPDX-License-Identifier: Apache-2.0
#include "engines/storage_disk/disk_layout.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "base/file/atomic.hpp"
#include "base/file/read.hpp"
#include "base/json/read.hpp"
#include "base/json/write.hpp"

namespace tenon {
namespace {

constexpr std::string_view kFormat = "tenon buffer/1";
constexpr std::array kStoredRoles = {Role::kObservation, Role::kAction, Role::kReward,
                                     Role::kState,       Role::kExtra,  Role::kEnd};
constexpr std::array kStoredTypes = {DType::kF32, DType::kF64, DType::kI64, DType::kI32, DType::kU8, DType::kBool};

Problem unreadable(const std::filesystem::path& file, const std::string& why) {
    return input_problem(file.string() + " does not describe a buffer: " + why);
}

std::optional<std::uint32_t> count_in(const Json& json, std::string_view key, std::int64_t least) {
    const Json* const member = json.find(key);
    const auto* const number = member == nullptr ? nullptr : member->get<std::int64_t>();
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return number != nullptr && *number >= least && *number <= kMost
               ? std::optional(static_cast<std::uint32_t>(*number))
               : std::nullopt;
}

std::string text_in(const Json& json, std::string_view key) {
    const Json* const member = json.find(key);
    const auto* const text = member == nullptr ? nullptr : member->get<std::string>();
    return text == nullptr ? "" : *text;
}

std::optional<Shape> shape_in(const Json& json) {
    const Json* const member = json.find("shape");
    const auto* const list = member == nullptr ? nullptr : member->get<JsonArray>();
    if (list == nullptr || list->size() > kMaxSpecRank) {
        return std::nullopt;
    }
    std::vector<std::int64_t> out;
    double elements = 1;
    for (const Json& each : *list) {
        const auto* const extent = each.get<std::int64_t>();
        if (extent == nullptr || *extent < 1) {
            return std::nullopt;
        }
        elements *= static_cast<double>(*extent);
        out.push_back(*extent);
    }
    return elements < 0x1p40 ? std::optional(Shape(std::span<const std::int64_t>(out))) : std::nullopt;
}

std::optional<StorageColumn> column_in(const Json& json) {
    const std::string role = text_in(json, "role");
    const std::string dtype = text_in(json, "dtype");
    const auto* const with_role = std::ranges::find_if(kStoredRoles, [&](Role each) { return name_of(each) == role; });
    const auto* const with_type =
        std::ranges::find_if(kStoredTypes, [&](DType each) { return name_of(each) == dtype; });
    const std::optional<Shape> shape = shape_in(json);
    std::string key = text_in(json, "key");
    if (with_role == kStoredRoles.end() || with_type == kStoredTypes.end() || !shape || !key_fault(key).empty()) {
        return std::nullopt;
    }
    return StorageColumn{
        .key = std::move(key), .role = *with_role, .dtype = *with_type, .row = *shape, .view = {}, .final = {}};
}

}  // namespace

std::string layout_text(std::uint32_t slots, std::uint32_t lanes, std::span<const StorageColumn> columns) {
    std::string out = counted(slots, "slot") + " of " + counted(lanes, "lane");
    std::string_view before = ": ";
    for (const StorageColumn& column : columns) {
        if (!is_flag_column(column.key)) {
            out.append(before).append(column.key).append(" ").append(name_of(column.dtype));
            out.append(" ").append(to_string(column.row));
            before = ", ";
        }
    }
    return out;
}

Status write_layout(const DiskLayout& layout, const std::filesystem::path& file) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("format").text(kFormat);
    json.key("slots").integer(layout.slots).key("lanes").integer(layout.lanes).key("spare").integer(layout.spare);
    json.key("columns").begin_array();
    for (const StorageColumn& column : layout.columns) {
        json.begin_object().key("key").text(column.key).key("role").text(name_of(column.role));
        json.key("dtype").text(name_of(column.dtype)).key("shape").begin_array();
        for (const std::int64_t extent : column.row.extents()) {
            json.integer(extent);
        }
        json.end_array().end_object();
    }
    json.end_array().key("specs").begin_object();
    for (const auto& [key, spec] : layout.specs) {
        json.key(key).text(spec);
    }
    json.end_object().end_object();
    return write_file(file, text + "\n");
}

Result<DiskLayout> read_layout(const std::filesystem::path& file) {
    const std::string text = TENON_TRY(read_file(file, Largest{.bytes = std::uint64_t{16} << 20U, .kind = "layout"}));
    const Json json = TENON_TRY(parse_json(text, file.string()));
    if (const std::string format = text_in(json, "format"); format != kFormat) {
        return format.starts_with("tenon buffer/")
                   ? input_problem(file.string() + " is of the version \"" + format + "\", but this Tenon reads \"" +
                                   std::string(kFormat) + "\"")
                   : unreadable(file, "it has no \"format\" that begins with \"tenon buffer/\"");
    }
    const auto slots = count_in(json, "slots", 2);
    const auto lanes = count_in(json, "lanes", 1);
    const auto spare = count_in(json, "spare", 0);
    const Json* const list = json.find("columns");
    const auto* const columns = list == nullptr ? nullptr : list->get<JsonArray>();
    if (!slots || !lanes || !spare || columns == nullptr) {
        return unreadable(file, "it must have \"slots\", \"lanes\", \"spare\" and \"columns\"");
    }
    DiskLayout out{.slots = *slots, .lanes = *lanes, .spare = *spare, .columns = {}, .specs = {}};
    for (const Json& each : *columns) {
        std::optional<StorageColumn> column = column_in(each);
        if (!column) {
            return unreadable(file, "column " + std::to_string(out.columns.size()) +
                                        " must have \"key\", \"role\", \"dtype\" and \"shape\"");
        }
        out.columns.push_back(std::move(*column));
    }
    double bytes = 0;
    for (const StorageColumn& column : out.columns) {
        bytes += static_cast<double>(row_bytes(column)) * (static_cast<double>(*slots) + *spare) * *lanes;
    }
    if (bytes > 0x1p60) {
        return unreadable(file, "its columns are larger than any disk");
    }
    for (const std::string_view own : flag_columns()) {
        if (std::ranges::find(out.columns, own, &StorageColumn::key) == out.columns.end()) {
            return unreadable(file, "it has no column '" + std::string(own) + "'");
        }
    }
    if (const Json* const specs = json.find("specs"); specs != nullptr && specs->get<JsonObject>() != nullptr) {
        for (const JsonMember& member : *specs->get<JsonObject>()) {
            if (const auto* const spec = member.value.get<std::string>()) {
                out.specs[member.key] = *spec;
            }
        }
    }
    return out;
}

}  // namespace tenon
