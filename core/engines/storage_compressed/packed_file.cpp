// SPDX-License-Identifier: Apache-2.0
#include "engines/storage_compressed/packed_file.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "train/checkpoint/safetensors.hpp"

namespace tenon {
namespace {

constexpr const char* kPackedFormat = "tenon packed/2";
using Block = PackedRows::Block;

// The data of one column, as tensors.
struct Saved {
    std::vector<std::byte> bytes;
    std::vector<std::int64_t> about;
    std::vector<std::int64_t> windows;
    std::vector<std::byte> rows;
    std::vector<std::byte> finals;
};

// Calls f(slot, i) for the steps whose rows are plain, and for the head.
template <class F>
void each_plain(const Storage& storage, std::uint64_t until, F f) {
    const std::uint64_t appended = storage.view().appended;
    for (std::uint64_t step = until; step <= appended; ++step) {
        f(static_cast<std::uint32_t>(step % storage.slots()), static_cast<std::size_t>(step - until));
    }
}

// The first step whose row is plain and in its slot.
std::uint64_t first_plain(const Storage& storage, const PackedRows& packed) {
    const std::uint64_t appended = storage.view().appended;
    const std::uint64_t held = std::min<std::uint64_t>(storage.ring().live_slots() - 1, appended);
    return std::max(packed.until(), appended - held);
}

void save_block(const Block& block, Saved& out) {
    const bool exists = block.bytes != nullptr;
    out.about.insert(out.about.end(),
                     {exists ? static_cast<std::int64_t>(block.first) : -1, block.size, block.plain, block.picture});
    for (const auto* const windows : {&block.row, &block.after}) {
        out.windows.insert(out.windows.end(), windows->begin(), windows->end());
    }
    if (exists) {
        out.bytes.insert(out.bytes.end(), block.bytes.get(), block.bytes.get() + block.size);
    }
}

Problem not_packed(const std::filesystem::path& file, const std::string& what) {
    return input_problem(file.string() + " does not hold the compressed frames of a buffer: " + what);
}

Status read_blocks(const SafetensorsFile& in, const StorageColumn& of_column, PackedRows::Column& column,
                   const std::filesystem::path& file) {
    const std::string& key = of_column.key;
    std::vector<std::uint8_t> bytes;
    std::vector<std::int64_t> about;
    std::vector<std::int64_t> windows;
    TENON_TRY(in.read_all(key + "/blocks", TN_U8, bytes));
    TENON_TRY(in.read_all(key + "/about", TN_I64, about));
    TENON_TRY(in.read_all(key + "/windows", TN_I64, windows));
    constexpr std::size_t kWindows = PackedRows::kBlock;
    if (about.size() != column.blocks.size() * 4 || windows.size() != column.blocks.size() * 2 * kWindows) {
        return not_packed(file, "it has another number of blocks");
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < column.blocks.size(); ++i) {
        const std::int64_t* const of = about.data() + i * 4;
        if (of[0] < 0) {
            continue;
        }
        Block block{.first = static_cast<std::uint64_t>(of[0]),
                    .size = static_cast<std::uint32_t>(of[1]),
                    .plain = static_cast<std::uint32_t>(of[2]),
                    .picture = static_cast<std::uint32_t>(of[3])};
        if (block.picture == 0 || row_bytes(of_column) % block.picture != 0) {
            return not_packed(file, "its pictures do not make up a row");
        }
        if (block.size > bytes.size() - at || block.size < block.table_bytes()) {
            return not_packed(file, "its blocks are cut off");
        }
        block.bytes = std::make_unique<std::byte[]>(block.size);
        std::memcpy(block.bytes.get(), bytes.data() + at, block.size);
        at += block.size;
        const std::int64_t* const begins = windows.data() + i * 2 * kWindows;
        std::copy_n(begins, kWindows, block.row.begin());
        std::copy_n(begins + kWindows, kWindows, block.after.begin());
        column.blocks[i] = std::move(block);
    }
    return {};
}

Status read_column(const SafetensorsFile& in, Storage& storage, PackedRows::Column& column, std::uint64_t until,
                   const std::filesystem::path& file) {
    const StorageColumn& of = storage.columns()[column.index];
    TENON_TRY(read_blocks(in, of, column, file));
    const std::size_t step = row_bytes(of) * storage.lanes();
    const std::uint64_t steps = storage.view().appended + 1 - until;
    std::vector<std::byte> rows(step * steps);
    for (const auto& [name, view] :
         {std::pair(of.key + "/rows", of.view), std::pair(of.key + "/rows/final", of.final)}) {
        if (view.data == nullptr) {
            continue;
        }
        TENON_TRY(in.read(name, static_cast<std::int32_t>(of.dtype),
                          stored_extents({static_cast<std::int64_t>(steps), storage.lanes()}, of.row), rows.data()));
        each_plain(storage, until, [&, to = view](std::uint32_t slot, std::size_t i) {
            std::memcpy(row_at(to, slot, 0), rows.data() + i * step, step);
        });
    }
    return {};
}

Status restore(Storage& storage, PackedRows& packed, const std::filesystem::path& file) {
    SafetensorsFile in = TENON_TRY(SafetensorsFile::open(file));
    const std::uint64_t until = in.number("until");
    const std::uint64_t first = in.number("plain");
    const std::uint64_t appended = storage.view().appended;
    const bool at_a_block = until % storage.slots() % PackedRows::kBlock == 0;
    if (in.text("format") != kPackedFormat || !at_a_block || first > appended || appended - first >= storage.slots()) {
        return not_packed(file, "its metadata does not fit the buffer");
    }
    packed.begin_at(until);
    for (PackedRows::Column& column : packed.columns()) {
        TENON_TRY(read_column(in, storage, column, first, file));
    }
    packed.count_bytes();
    return {};
}

}  // namespace

Status write_packed(const Storage& storage, const PackedRows& packed, const std::filesystem::path& file) {
    const std::uint64_t first = first_plain(storage, packed);
    const std::uint64_t steps = storage.view().appended + 1 - first;
    std::vector<StoredTensor> tensors;
    std::deque<Saved> saved;
    for (const PackedRows::Column& column : packed.columns()) {
        const StorageColumn& of = storage.columns()[column.index];
        Saved& out = saved.emplace_back();
        for (const Block& block : column.blocks) {
            save_block(block, out);
        }
        const std::size_t step = row_bytes(of) * storage.lanes();
        out.rows.resize(step * steps);
        out.finals.resize(of.final.data != nullptr ? step * steps : 0);
        each_plain(storage, first, [&](std::uint32_t slot, std::size_t i) {
            std::memcpy(out.rows.data() + i * step, row_at(of.view, slot, 0), step);
            if (of.final.data != nullptr) {
                std::memcpy(out.finals.data() + i * step, row_at(of.final, slot, 0), step);
            }
        });
        const auto blocks = static_cast<std::int64_t>(column.blocks.size());
        tensors.push_back({.name = of.key + "/blocks",
                           .dtype = TN_U8,
                           .shape = {static_cast<std::int64_t>(out.bytes.size())},
                           .data = out.bytes.data()});
        tensors.push_back({.name = of.key + "/about", .dtype = TN_I64, .shape = {blocks, 4}, .data = out.about.data()});
        tensors.push_back({.name = of.key + "/windows",
                           .dtype = TN_I64,
                           .shape = {blocks, 2, PackedRows::kBlock},
                           .data = out.windows.data()});
        const auto dtype = static_cast<std::int32_t>(of.dtype);
        const std::vector<std::int64_t> shape =
            stored_extents({static_cast<std::int64_t>(steps), storage.lanes()}, of.row);
        tensors.push_back({.name = of.key + "/rows", .dtype = dtype, .shape = shape, .data = out.rows.data()});
        if (of.final.data != nullptr) {
            tensors.push_back(
                {.name = of.key + "/rows/final", .dtype = dtype, .shape = shape, .data = out.finals.data()});
        }
    }
    return write_safetensors(
        file, tensors,
        {{"format", kPackedFormat}, {"plain", std::to_string(first)}, {"until", std::to_string(packed.until())}});
}

Status restore_packed(Storage& storage, PackedRows& packed, const std::filesystem::path& file) {
    Status done = restore(storage, packed, file);
    if (!done) {
        storage.clear();
    }
    return done;
}

}  // namespace tenon
