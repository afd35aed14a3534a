// SPDX-License-Identifier: Apache-2.0
// Compresses the older rows of a ring's large columns. The env always writes to plain memory. When a block of steps of
// a lane is complete, its rows are compressed together, and their plain memory is given back to the system.
//
// A block holds the rows of its slots, their final values, and the row after the last one, so that one block is enough
// to read a transition. Most rows of stacked pictures are the row before, moved by one picture. So a block stores each
// new picture once, and a row is a window of several consecutive pictures. Pictures are compressed in chunks of a few,
// so that reading a row does not decompress the whole block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "engines/storage_compressed/zstd_library.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

class PackedRows : public Backing {
public:
    static constexpr std::uint32_t kBlock = 64;         // slots
    static constexpr std::uint32_t kChunk = 12;         // pictures
    static constexpr std::size_t kLeastRowBytes = 256;  // smaller rows stay plain
    static bool is_large(const StorageColumn& column) { return row_bytes(column) >= kLeastRowBytes; }

    struct Block {
        std::uint64_t first = kNone;                   // its first step
        std::unique_ptr<std::byte[]> bytes = nullptr;  // where each compressed chunk ends, then all of them
        std::uint32_t size = 0;                        // of these bytes
        std::uint32_t plain = 0;                       // of its pictures
        std::uint32_t picture = 0;
        std::array<std::uint16_t, kBlock> row{};  // the picture with which a slot's row begins
        // the picture with which the row after it begins, or its final values
        std::array<std::uint16_t, kBlock> after{};

        [[nodiscard]] std::uint32_t chunk_bytes() const { return kChunk * picture; }  // the last chunk may have fewer
        [[nodiscard]] std::uint32_t chunks() const { return (plain + chunk_bytes() - 1) / chunk_bytes(); }
        [[nodiscard]] std::uint32_t table_bytes() const { return chunks() * std::uint32_t{sizeof(std::uint32_t)}; }
        // Where a compressed chunk begins and ends in `bytes`.
        [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> chunk(std::uint32_t number) const;
    };
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

    struct Column {
        std::size_t index = 0;           // in the storage's columns
        std::vector<Block> blocks = {};  // [block][lane]
        std::uint32_t pictures = 1;      // per row, as it was in the block before
    };

    static Result<std::unique_ptr<PackedRows>> make(std::span<const StorageColumn> columns, std::uint32_t slots,
                                                    std::uint32_t lanes);

    // Compresses the blocks whose steps are complete. The step before the head may still change, and so may the head.
    void mark(const Storage& storage) override;
    void on_move(const Ring& /*ring*/) override { begin_at(0); }
    [[nodiscard]] bool packs(const StorageColumn& column) const override { return is_large(column); }
    Result<std::unique_ptr<RowReader>> make_reader(const Storage& storage) const override;
    [[nodiscard]] std::uint64_t packed_bytes() const override { return bytes_; }
    Status save(Storage& storage, const std::filesystem::path& checkpoint) override;
    Result<std::uint64_t> restore(Storage& storage, const std::filesystem::path& checkpoint) override;

    // Says that all rows are plain, and that the next step to be packed is `step`, the first of a block.
    void begin_at(std::uint64_t step);

    // The block that has the step, and where; null: its row is plain.
    struct Found {
        const Block* block = nullptr;
        std::uint32_t at = 0;
    };
    [[nodiscard]] Found find(std::size_t column, std::uint64_t step, std::uint32_t lane) const {
        const auto slot = static_cast<std::uint32_t>(step % slots_);
        const Block& block = columns_[column].blocks[std::size_t{slot / kBlock} * lanes_ + lane];
        return {.block = block.first == step - slot % kBlock ? &block : nullptr, .at = slot % kBlock};
    }

    [[nodiscard]] std::span<const Column> columns() const { return columns_; }
    [[nodiscard]] std::span<Column> columns() { return columns_; }
    [[nodiscard]] std::uint64_t until() const { return until_; }  // the next step to be packed
    void count_bytes();

private:
    PackedRows(std::uint32_t slots, std::uint32_t lanes, Zstd zstd)
        : slots_(slots), lanes_(lanes), zstd_(std::move(zstd)) {}
    bool pack_block(const Storage& storage, Column& column, std::uint32_t lane, std::uint32_t count);
    bool compress(Block& block);
    void add_window(const std::byte* row, std::size_t bytes, std::uint32_t pictures);
    void collect(const Storage& storage, const StorageColumn& column, std::uint32_t lane, std::uint32_t count,
                 std::uint32_t pictures, Block& block);
    void give_back(const StorageColumn& column, std::uint32_t count) const;

    std::uint32_t slots_;
    std::uint32_t lanes_;
    Zstd zstd_;
    std::vector<Column> columns_;
    std::uint64_t until_ = 0;
    std::uint64_t bytes_ = 0;
    std::vector<std::byte> plain_;  // this and the next: of the block that is being packed
    std::vector<std::byte> packed_;
    std::vector<std::byte> chunk_;
    const std::byte* last_ = nullptr;  // the row that was added last
    std::size_t begins_ = 0;           // its first picture
};

// A storage that compresses; its rows are in storage.backing(), which packed_rows returns. Null for another storage.
Result<Storage> make_packed(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes);
PackedRows* packed_rows(const Storage& storage);

// Reads rows of blocks. It keeps what it has decompressed of the latest few blocks.
class Unpacker {
public:
    static Result<Unpacker> make();

    // The row that begins with this picture of a block; null: the block is damaged. Valid for this call and the next
    // two.
    const std::byte* open(const PackedRows::Block& block, std::uint32_t picture, std::size_t row_bytes);

private:
    explicit Unpacker(Zstd zstd) : zstd_(std::move(zstd)) {}
    struct Opened {
        const std::byte* bytes = nullptr;  // of the block, and its first step: no two blocks have both in common
        std::uint64_t first = PackedRows::kNone;
        std::vector<std::byte> plain = {};
        std::vector<std::uint8_t> has = {};  // by chunk
    };
    Opened& opened(const PackedRows::Block& block);
    static constexpr std::size_t kKept = 4;

    Zstd zstd_;
    std::array<Opened, kKept> kept_;
    std::size_t oldest_ = 0;
};

}  // namespace tenon
