// SPDX-License-Identifier: Apache-2.0
#include "engines/storage_compressed/packed_rows.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "engines/storage_compressed/packed_file.hpp"

namespace tenon {
namespace {

constexpr int kLevel = 1;
constexpr std::uint32_t kMostPictures = 16;  // per row

// Smaller slabs may share their pages with others.
constexpr std::size_t kMapped = std::size_t{1} << 20;

// Gives the whole pages of bytes [from, to) of a slab of `size` bytes back to the system. They read as zeros then, and
// take no memory until they are written. down: includes the page in which the range begins.
void give_back_pages(void* data, std::size_t size, std::size_t from, std::size_t to, bool down) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t first = (down ? from : from + page - 1) / page * page;
    const std::size_t last = to / page * page;
    if (size >= kMapped && first < last) {
        ::madvise(static_cast<std::byte*>(data) + first, last - first, MADV_DONTNEED);  // if it fails, the pages stay
    }
}

}  // namespace

Result<std::unique_ptr<PackedRows>> PackedRows::make(std::span<const StorageColumn> columns, std::uint32_t slots,
                                                     std::uint32_t lanes) {
    Zstd zstd = TENON_TRY(Zstd::open());
    std::unique_ptr<PackedRows> out(new PackedRows(slots, lanes, std::move(zstd)));
    const std::size_t blocks = (std::size_t{slots} + kBlock - 1) / kBlock * lanes;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_large(columns[i])) {
            out->columns_.push_back({.index = i});
            out->columns_.back().blocks.resize(blocks);
        }
    }
    return out;
}

void PackedRows::begin_at(std::uint64_t step) {
    for (Column& column : columns_) {
        for (Block& block : column.blocks) {
            block = {};
        }
    }
    until_ = step;
    bytes_ = 0;
}

void PackedRows::count_bytes() {
    bytes_ = 0;
    for (const Column& column : columns_) {
        for (const Block& block : column.blocks) {
            bytes_ += block.size;
        }
    }
}

void PackedRows::mark(const Storage& storage) {
    const std::uint64_t appended = storage.view().appended;
    for (;;) {
        const auto slot = static_cast<std::uint32_t>(until_ % slots_);
        const std::uint32_t count = std::min(kBlock, slots_ - slot);
        if (until_ + count + 1 > appended) {
            return;
        }
        const bool is_whole = until_ + slots_ > appended;  // no later step is in its slots yet
        for (Column& column : columns_) {
            for (std::uint32_t lane = 0; is_whole && lane < lanes_; ++lane) {
                if (!pack_block(storage, column, lane, count)) {
                    return;  // no memory for the block: its rows stay plain
                }
            }
        }
        if (is_whole) {
            for (const Column& column : columns_) {
                give_back(storage.columns()[column.index], count);
            }
        }
        until_ += count;
    }
}

bool PackedRows::pack_block(const Storage& storage, Column& column, std::uint32_t lane, std::uint32_t count) {
    const StorageColumn& of = storage.columns()[column.index];
    const auto slot = static_cast<std::uint32_t>(until_ % slots_);
    Block block{.first = until_};
    // Finds how many pictures a row has to be split into to make the block smallest; mostly as many as in the block
    // before.
    const std::int64_t extent = of.row.rank > 0 ? of.row.extents()[0] : 1;
    std::uint32_t best = column.pictures;
    collect(storage, of, lane, count, best, block);
    std::size_t least = plain_.size();
    std::size_t ends = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        ends += storage.flags().ended(slot + i, lane) ? 1 : 0;
    }
    // A stack of pictures has one new picture per step and the row after the last one. After an episode's end it has
    // the last picture of that episode and a whole new stack.
    const std::size_t stacked = count + best + ends * (best + 1);
    if (best == 1 || least > stacked * (row_bytes(of) / best)) {
        for (std::uint32_t pictures = 2; pictures <= kMostPictures && pictures <= extent; ++pictures) {
            if (extent % pictures == 0) {
                collect(storage, of, lane, count, pictures, block);
                best = plain_.size() < least ? pictures : best;
                least = std::min(least, plain_.size());
            }
        }
        collect(storage, of, lane, count, best, block);
    }
    column.pictures = best;
    if (!compress(block)) {
        return false;
    }
    Block& old = column.blocks[std::size_t{slot / kBlock} * lanes_ + lane];
    bytes_ += block.size;
    bytes_ -= old.size;
    old = std::move(block);
    return true;
}

bool PackedRows::compress(Block& block) {
    block.plain = static_cast<std::uint32_t>(plain_.size());
    packed_.resize(block.table_bytes());
    for (std::uint32_t i = 0; i < block.chunks(); ++i) {
        const std::size_t from = std::size_t{i} * block.chunk_bytes();
        const std::size_t bytes = std::min<std::size_t>(block.chunk_bytes(), plain_.size() - from);
        Result<std::size_t> size = zstd_.compress(std::span(plain_).subspan(from, bytes), kLevel, chunk_);
        if (!size) {
            return false;
        }
        packed_.insert(packed_.end(), chunk_.begin(), chunk_.begin() + static_cast<std::ptrdiff_t>(*size));
        const auto end = static_cast<std::uint32_t>(packed_.size());
        std::memcpy(packed_.data() + i * sizeof end, &end, sizeof end);
    }
    block.size = static_cast<std::uint32_t>(packed_.size());
    block.bytes.reset(new (std::nothrow) std::byte[packed_.size()]);
    if (block.bytes == nullptr) {
        return false;
    }
    std::ranges::copy(packed_, block.bytes.get());
    return true;
}

std::pair<std::uint32_t, std::uint32_t> PackedRows::Block::chunk(std::uint32_t number) const {
    const auto end_of = [&](std::uint32_t i) {
        std::uint32_t end = 0;
        std::memcpy(&end, bytes.get() + i * sizeof end, sizeof end);
        return end;
    };
    return {number == 0 ? table_bytes() : end_of(number - 1), end_of(number)};
}

// Collects the pictures of all rows of the block, and the picture with which each row begins.
void PackedRows::collect(const Storage& storage, const StorageColumn& column, std::uint32_t lane, std::uint32_t count,
                         std::uint32_t pictures, Block& block) {
    const auto first = static_cast<std::uint32_t>(until_ % slots_);
    const std::size_t bytes = row_bytes(column);
    block.picture = static_cast<std::uint32_t>(bytes / pictures);
    plain_.clear();
    last_ = nullptr;
    const auto add = [&](const View& view, std::uint32_t slot) {
        add_window(static_cast<const std::byte*>(row_at(view, slot, lane)), bytes, pictures);
        return static_cast<std::uint16_t>(begins_);
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t slot = first + i;
        const bool is_last = i + 1 == count;
        block.row[i] = add(column.view, slot);
        if (column.final.data == nullptr) {
            continue;  // nothing reads it after the step
        }
        if (storage.flags().ended(slot, lane)) {
            block.after[i] = add(column.final, slot);
        } else if (is_last) {
            block.after[i] = add(column.view, storage.slot_after(slot));
        }
    }
    for (std::uint32_t i = 0; column.final.data != nullptr && i + 1 < count; ++i) {
        if (!storage.flags().ended(first + i, lane)) {
            block.after[i] = block.row[i + 1];
        }
    }
}

void PackedRows::add_window(const std::byte* row, std::size_t bytes, std::uint32_t pictures) {
    const std::size_t picture = bytes / pictures;
    const bool moved = last_ != nullptr && pictures > 1 && std::memcmp(last_ + picture, row, bytes - picture) == 0;
    const std::size_t new_bytes = moved ? picture : bytes;
    begins_ = moved ? begins_ + 1 : plain_.size() / picture;
    plain_.insert(plain_.end(), row + (bytes - new_bytes), row + bytes);
    last_ = row;
}

// Releases the pages with the plain rows of a packed block. A page that it shares with the block before is released if
// that block is packed, too.
void PackedRows::give_back(const StorageColumn& column, std::uint32_t count) const {
    const auto slot = static_cast<std::uint32_t>(until_ % slots_);
    const std::size_t step = row_bytes(column) * lanes_;
    const Block* const before = slot == 0 ? nullptr : &columns_.front().blocks[std::size_t{slot / kBlock - 1} * lanes_];
    const bool down = before != nullptr && before->first + kBlock == until_;
    for (const View* const view : {&column.view, &column.final}) {
        if (view->data != nullptr) {
            give_back_pages(view->data, step * slots_, step * slot, step * (slot + count), down);
        }
    }
}

Result<Storage> make_packed(std::vector<StorageColumn> columns, std::uint32_t slots, std::uint32_t lanes) {
    const std::vector<StorageColumn> complete = TENON_TRY(complete_columns(columns, slots, lanes));
    std::unique_ptr<PackedRows> rows = TENON_TRY(PackedRows::make(complete, slots, lanes));
    return Storage::make(std::move(columns), slots, lanes, std::move(rows));
}

PackedRows* packed_rows(const Storage& storage) {
    return dynamic_cast<PackedRows*>(&storage.backing());
}

namespace {

class PackedReader final : public RowReader {
public:
    PackedReader(const PackedRows& rows, const Storage& storage, Unpacker unpacker)
        : rows_(rows),
          columns_(storage.columns().data()),
          number_(storage.columns().size()),
          unpacker_(std::move(unpacker)) {
        for (std::size_t i = 0; i < rows.columns().size(); ++i) {
            number_[rows.columns()[i].index] = i;
        }
    }

    [[nodiscard]] std::uint32_t block_slots() const override { return PackedRows::kBlock; }

    Row find(const StorageColumn& column, std::uint64_t step, std::uint32_t lane, bool next) override {
        const PackedRows::Found found = rows_.find(number_[static_cast<std::size_t>(&column - columns_)], step, lane);
        if (found.block == nullptr) {
            return {.in_column = true};
        }
        const std::uint16_t picture = (next ? found.block->after : found.block->row)[found.at];
        return {.bytes = unpacker_.open(*found.block, picture, row_bytes(column))};
    }

private:
    const PackedRows& rows_;
    const StorageColumn* columns_;
    std::vector<std::size_t> number_;  // of a column of the storage, among those that are compressed
    Unpacker unpacker_;
};

}  // namespace

Result<std::unique_ptr<RowReader>> PackedRows::make_reader(const Storage& storage) const {
    Unpacker unpacker = TENON_TRY(Unpacker::make());
    return std::unique_ptr<RowReader>(std::make_unique<PackedReader>(*this, storage, std::move(unpacker)));
}

Status PackedRows::save(Storage& storage, const std::filesystem::path& checkpoint) {
    return write_packed(storage, *this, checkpoint / kPackedFile);
}

Result<std::uint64_t> PackedRows::restore(Storage& storage, const std::filesystem::path& checkpoint) {
    TENON_TRY(restore_packed(storage, *this, checkpoint / kPackedFile));
    return std::uint64_t{0};
}

Result<Unpacker> Unpacker::make() {
    return Unpacker(TENON_TRY(Zstd::open()));
}

Unpacker::Opened& Unpacker::opened(const PackedRows::Block& block) {
    for (Opened& opened : kept_) {
        if (opened.bytes == block.bytes.get() && opened.first == block.first) {
            return opened;
        }
    }
    Opened& into = kept_[oldest_];
    oldest_ = (oldest_ + 1) % kKept;
    into.plain.resize(block.plain);
    into.has.assign(block.chunks(), 0);
    into.bytes = block.bytes.get();
    into.first = block.first;
    return into;
}

const std::byte* Unpacker::open(const PackedRows::Block& block, std::uint32_t picture, std::size_t row_bytes) {
    const std::size_t begins = std::size_t{picture} * block.picture;
    if (begins + row_bytes > block.plain) {
        return nullptr;
    }
    Opened& of = opened(block);
    const auto last = static_cast<std::uint32_t>((begins + row_bytes - 1) / block.chunk_bytes());
    for (std::uint32_t i = picture / PackedRows::kChunk; i <= last; ++i) {
        if (of.has[i] != 0) {
            continue;
        }
        const auto [from, to] = block.chunk(i);
        const std::size_t at = std::size_t{i} * block.chunk_bytes();
        const std::size_t bytes = std::min<std::size_t>(block.chunk_bytes(), block.plain - at);
        if (from > to || to > block.size ||
            !zstd_.decompress({block.bytes.get() + from, to - from}, std::span(of.plain).subspan(at, bytes))) {
            return nullptr;
        }
        of.has[i] = 1;
    }
    return of.plain.data() + begins;
}

}  // namespace tenon
