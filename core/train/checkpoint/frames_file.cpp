// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/frames_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experience/dataset/spec_json.hpp"
#include "train/checkpoint/safetensors_header.hpp"

namespace tenon {
namespace {

constexpr const char* kFormat = "tenon frames/1";
constexpr const char* kCount = "lanes/count";
constexpr const char* kParked = "lanes/parked";
constexpr const char* kFinal = "/final";
constexpr std::array kRoles = {Role::kObservation, Role::kAction, Role::kReward,
                               Role::kState,       Role::kExtra,  Role::kEnd};

// Calls f(slot, lane) for every end of an episode before the head, oldest first.
template <class F>
void each_end(const Storage& storage, F f) {
    for (std::uint32_t back = storage.ring().live_slots() - 1; back > 0; --back) {
        const std::uint32_t slot = storage.slot_back(back);
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            if (storage.flags().ended(slot, lane)) {
                f(slot, lane);
            }
        }
    }
}

// The contents of a storage, in words for messages.
std::string text_of(std::uint64_t slots, std::int64_t lanes, std::span<const StorageColumn> columns,
                    const Storage* storage = nullptr) {
    std::string out = std::to_string(slots) + "x" + std::to_string(lanes);
    for (const StorageColumn& column : columns) {
        const bool is_packed = storage != nullptr && storage->backing().packs(column);
        if (!is_flag_column(column.key) && !is_packed) {
            out += " " + column.key + ":" + std::string(name_of(column.dtype)) + to_string(column.row);
        }
    }
    return out;
}

// A file that is being read, and its parts that have been read so far.
struct OpenFile {
    SafetensorsFile file;
    std::string name;
    std::int64_t live = 0;
    std::int64_t lanes = 0;
};

Problem wrong(const OpenFile& in, const std::string& what) {
    return input_problem(in.name + " does not hold readable frames: " + what);
}

std::optional<std::uint64_t> number_of(const TensorMetadata& about, const std::string& key, std::uint64_t otherwise) {
    const auto found = about.find(key);
    if (found == about.end()) {
        return otherwise;
    }
    std::uint64_t out = 0;
    const char* const end = found->second.data() + found->second.size();
    const auto [at, fault] = std::from_chars(found->second.data(), end, out);
    return fault == std::errc() && at == end ? std::optional(out) : std::nullopt;
}

Result<OpenFile> open(const std::filesystem::path& path) {
    SafetensorsFile file = TENON_TRY(SafetensorsFile::open(path));
    OpenFile out{.file = std::move(file), .name = path.string(), .live = 0, .lanes = 0};
    if (out.file.text("format") != kFormat) {
        return wrong(out, "its metadata must have \"format\" = \"tenon frames/1\"");
    }
    for (const std::string_view key : {"terminated", "truncated"}) {
        const StoredTensor* const flags = out.file.find(key);
        if (flags == nullptr || flags->dtype != TN_BOOL || flags->shape.size() != 2) {
            return wrong(out, "there must be a tensor '" + std::string(key) + "', BOOL [slots, lanes]");
        }
        out.live = flags->shape[0];
        out.lanes = flags->shape[1];
    }
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
    return out.live < 1 || out.live > kMost || out.lanes < 1 || out.lanes > kMost
               ? Result<OpenFile>(wrong(out, "it has no slots or no lanes"))
               : Result<OpenFile>(std::move(out));
}

// The columns in the file, without the storage's own.
Result<std::vector<StorageColumn>> columns_of(const OpenFile& in) {
    std::vector<StorageColumn> out;
    for (const StoredTensor& tensor : in.file.tensors()) {
        if (tensor.name.find('/') != std::string::npos || is_flag_column(tensor.name)) {
            continue;
        }
        const std::string given = in.file.text("role." + tensor.name);
        const auto* const role = std::ranges::find_if(kRoles, [&](Role r) { return given == name_of(r); });
        if (role == kRoles.end()) {
            return wrong(in, "its metadata must have \"role." + tensor.name +
                                 "\" = observation, action, reward, state or extra");
        }
        const std::vector<std::int64_t>& shape = tensor.shape;
        if (shape.size() < 2 || shape.size() - 2 > kMaxSpecRank || shape[0] != in.live || shape[1] != in.lanes) {
            return wrong(in, "the tensor '" + tensor.name + "' is not [" + std::to_string(in.live) + ", " +
                                 std::to_string(in.lanes) + ", row...] like the flags");
        }
        out.push_back({.key = tensor.name,
                       .role = *role,
                       .dtype = static_cast<DType>(tensor.dtype),
                       .row = Shape(std::span(shape).subspan(2)),
                       .view = {},
                       .final = {}});
    }
    return out;
}

Result<Ring::Position> position_of(const OpenFile& in, std::uint32_t slots) {
    const TensorMetadata& about = in.file.metadata();
    const auto newest = static_cast<std::uint64_t>(in.live - 1);
    const auto head = number_of(about, "head", newest);
    const auto appended = number_of(about, "appended", newest);
    if (!head || *head >= slots || !appended) {
        return wrong(in, "\"head\" or \"appended\" in its metadata is impossible");
    }
    const auto lanes = static_cast<std::size_t>(in.lanes);
    Ring::Position out{.head = static_cast<std::uint32_t>(*head),
                       .count = std::vector<std::uint32_t>(lanes, static_cast<std::uint32_t>(newest)),
                       .parked = std::vector<std::uint8_t>(lanes, 0),
                       .appended = *appended};
    if (in.file.find(kParked) != nullptr) {
        TENON_TRY(in.file.read(kParked, TN_BOOL, std::array{in.lanes}, out.parked.data()));
    }
    if (in.file.find(kCount) != nullptr) {
        std::vector<std::int64_t> count(lanes);
        TENON_TRY(in.file.read(kCount, TN_I64, std::array{in.lanes}, count.data()));
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (count[lane] < 0 || count[lane] >= in.live) {
                return wrong(in, "'lanes/count' is more than its frames");
            }
            out.count[lane] = static_cast<std::uint32_t>(count[lane]);
        }
    }
    // A ring buffer that is not full has not wrapped around.
    if (*std::ranges::max_element(out.count) != newest ||
        (out.head < newest && static_cast<std::uint32_t>(in.live) != slots)) {
        return wrong(in, "its counters do not fit its slots");
    }
    return out;
}

// The tensor, which must have this shape; `about` ends the sentence of another one.
Result<const StoredTensor*> find_tensor(const OpenFile& in, const std::string& name, DType dtype,
                                        const std::vector<std::int64_t>& shape, const std::string& about = {}) {
    const StoredTensor* const tensor = in.file.find(name);
    const auto stored = static_cast<std::int32_t>(dtype);
    if (tensor == nullptr || tensor->dtype != stored || tensor->shape != shape) {
        return wrong(in, "there must be a tensor '" + name + "', " + describe_stored(stored, shape) + about);
    }
    return tensor;
}

Status read_column(const OpenFile& in, Storage& storage, const StorageColumn& column) {
    const StoredTensor* const tensor =
        TENON_TRY(find_tensor(in, column.key, column.dtype, stored_extents({in.live, in.lanes}, column.row)));
    if (has_odd_flags(*tensor)) {
        return wrong(in, "the tensor '" + column.key + "' has a byte other than 0 and 1, but is BOOL");
    }
    const std::size_t size = row_bytes(column) * storage.lanes();
    const auto* const bytes = static_cast<const std::uint8_t*>(tensor->data);
    for (std::uint32_t i = 0; i < in.live; ++i) {
        const std::uint32_t slot = storage.slot_back(static_cast<std::uint32_t>(in.live) - 1 - i);
        std::memcpy(row_at(column.view, slot, 0), bytes + i * size, size);
    }
    return {};
}

// Computes is_init for a file without it: an episode begins after the end of another one, and at the oldest slot.
void write_begins(Storage& storage, const StorageColumn& is_init) {
    for (std::uint32_t back = storage.ring().live_slots(); back > 0; --back) {
        const std::uint32_t slot = storage.slot_back(back - 1);
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            const bool begins =
                back == storage.ring().live_slots() || storage.flags().ended(storage.slot_before(slot), lane);
            *static_cast<std::uint8_t*>(row_at(is_init.view, slot, lane)) = begins ? 1 : 0;
        }
    }
}

Status read_finals(const OpenFile& in, Storage& storage, const StorageColumn& column) {
    std::int64_t ends = 0;
    each_end(storage, [&](std::uint32_t, std::uint32_t) { ++ends; });
    const StoredTensor* const tensor =
        TENON_TRY(find_tensor(in, column.key + kFinal, column.dtype, stored_extents({ends}, column.row),
                              ", with a row for every end of an episode"));
    const auto* bytes = static_cast<const std::byte*>(tensor->data);
    each_end(storage, [&](std::uint32_t slot, std::uint32_t lane) {
        std::memcpy(row_at(column.final, slot, lane), bytes, row_bytes(column));
        bytes += row_bytes(column);
    });
    return {};
}

Status read_contents(const OpenFile& in, Storage& storage) {
    Ring::Position position = TENON_TRY(position_of(in, storage.slots()));
    if (!storage.stand_at(position)) {
        return wrong(in, "its counters do not fit its slots");
    }
    for (const StorageColumn& column : storage.columns()) {
        if ((column.key == "is_init" && in.file.find(column.key) == nullptr) || storage.backing().packs(column)) {
            continue;
        }
        TENON_TRY(read_column(in, storage, column));
    }
    for (const StorageColumn& column : storage.columns()) {
        if (column.key == "is_init" && in.file.find(column.key) == nullptr) {
            write_begins(storage, column);
        } else if (column.final.data != nullptr && !storage.backing().packs(column)) {
            TENON_TRY(read_finals(in, storage, column));
        }
    }
    return {};
}

Result<std::uint32_t> slots_of(const OpenFile& in) {
    const auto least = static_cast<std::uint64_t>(std::max<std::int64_t>(in.live, 2));
    const auto slots = number_of(in.file.metadata(), "slots", least);
    return slots && *slots >= least && *slots <= std::numeric_limits<std::uint32_t>::max()
               ? Result(static_cast<std::uint32_t>(*slots))
               : Result<std::uint32_t>(wrong(in, "\"slots\" in its metadata is impossible"));
}

}  // namespace

std::filesystem::path buffer_of(const std::filesystem::path& checkpoint) {
    return checkpoint / "frames.safetensors";
}

Status write_frames(const Storage& storage, const std::filesystem::path& file, TensorMetadata about) {
    const Ring::Position position = storage.ring().position();
    const std::int64_t lanes = storage.lanes();
    const std::uint32_t live = storage.ring().live_slots();
    const std::uint32_t oldest = storage.slot_back(live - 1);
    std::vector<std::vector<std::byte>> finals;
    std::vector<StoredTensor> tensors;
    about["format"] = kFormat;
    about["slots"] = std::to_string(storage.slots());
    about["head"] = std::to_string(position.head);
    about["appended"] = std::to_string(position.appended);
    for (const StorageColumn& column : storage.columns()) {
        if (storage.backing().packs(column)) {
            continue;
        }
        const bool wraps = oldest > storage.head();  // then every slot is live
        const std::uint64_t before = std::uint64_t{oldest} * row_bytes(column) * storage.lanes();
        tensors.push_back({.name = column.key,
                           .dtype = static_cast<std::int32_t>(column.dtype),
                           .shape = stored_extents({live, lanes}, column.row),
                           .data = row_at(column.view, wraps ? 0 : oldest, 0),
                           .begins = wraps ? before : 0});
        about["role." + column.key] = name_of(column.role);
        if (column.final.data == nullptr) {
            continue;
        }
        std::vector<std::byte>& rows = finals.emplace_back();
        each_end(storage, [&](std::uint32_t slot, std::uint32_t lane) {
            const auto* const row = static_cast<const std::byte*>(row_at(column.final, slot, lane));
            rows.insert(rows.end(), row, row + row_bytes(column));
        });
        tensors.push_back(
            {.name = column.key + kFinal,
             .dtype = static_cast<std::int32_t>(column.dtype),
             .shape = stored_extents({static_cast<std::int64_t>(rows.size() / row_bytes(column))}, column.row),
             .data = rows.data()});
    }
    const std::vector<std::int64_t> count(position.count.begin(), position.count.end());
    tensors.push_back({.name = kCount, .dtype = TN_I64, .shape = {lanes}, .data = count.data()});
    tensors.push_back({.name = kParked, .dtype = TN_BOOL, .shape = {lanes}, .data = position.parked.data()});
    return write_safetensors(file, tensors, about);
}

TensorMetadata specs_in_words(const Composite& specs) {
    TensorMetadata out;
    for (const Spec& spec : specs.specs) {
        out["spec." + spec.key] = to_string(spec);
    }
    out["specs"] = specs_to_json(specs);
    return out;
}

Result<SavedFrames> read_frames(const std::filesystem::path& file) {
    const OpenFile in = TENON_TRY(open(file));
    std::vector<StorageColumn> columns = TENON_TRY(columns_of(in));
    const std::uint32_t slots = TENON_TRY(slots_of(in));
    Storage storage = TENON_TRY(Storage::make(std::move(columns), slots, static_cast<std::uint32_t>(in.lanes)));
    TENON_TRY(read_contents(in, storage));
    return SavedFrames{.storage = std::move(storage), .about = in.file.metadata()};
}

Status restore_frames(Storage& storage, const std::filesystem::path& file) {
    storage.clear();
    const OpenFile in = TENON_TRY(open(file));
    const std::vector<StorageColumn> columns = TENON_TRY(columns_of(in));
    const std::uint32_t slots = TENON_TRY(slots_of(in));
    const std::string saved = text_of(slots, in.lanes, columns);
    const std::string wanted = text_of(storage.slots(), storage.lanes(), storage.columns(), &storage);
    if (saved != wanted) {
        return input_problem("the saved buffer holds '" + saved + "', but this run has '" + wanted + "'");
    }
    Status done = read_contents(in, storage);
    if (!done) {
        storage.clear();
    }
    return done;
}

}  // namespace tenon
