// SPDX-License-Identifier: Apache-2.0
// What is behind the columns of a storage. This class is a storage in plain memory, of which a checkpoint has all
// frames. Other kinds derive from it: they keep frames in files, or older rows in another form. Each is a folder of
// core/engines that nothing else includes (storage_kind.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/error/result.hpp"
#include "experience/replay/ring.hpp"
#include "experience/replay/storage_columns.hpp"

namespace tenon {

class Storage;

// Reads rows that are not in the memory of their columns. Each thread has its own.
class RowReader {
public:
    RowReader() = default;
    RowReader(const RowReader&) = delete;
    RowReader& operator=(const RowReader&) = delete;
    virtual ~RowReader() = default;

    // Rows of a lane are read fastest together if they are in one block of so many slots.
    [[nodiscard]] virtual std::uint32_t block_slots() const = 0;
    // The row of a step, or with `next` the one after it. It is valid for this call and the next two.
    struct Row {
        const std::byte* bytes = nullptr;  // null: it is damaged
        bool in_column = false;            // the row is in the memory of its column
    };
    virtual Row find(const StorageColumn& column, std::uint64_t step, std::uint32_t lane, bool next) = 0;
};

class Backing {
public:
    Backing() = default;
    Backing(const Backing&) = delete;
    Backing& operator=(const Backing&) = delete;
    virtual ~Backing() = default;

    // Called by the storage after it has changed. None of these allocates.
    virtual void on_advance(const Ring& /*ring*/) {}
    virtual void on_end(const Ring& /*ring*/) {}  // the end of the newest step has changed
    virtual void on_park(const Ring& /*ring*/) {}
    virtual void on_move(const Ring& /*ring*/) {}  // to another position
    virtual void on_clear() {}                     // before it moves to the beginning
    [[nodiscard]] virtual bool permits(const Ring::Position& /*position*/) const { return true; }

    // As Storage::mark.
    virtual void mark(const Storage& /*storage*/) {}
    // Columns of this step and of all later ones are about to be written again.
    virtual void rewrite_from(std::uint64_t /*step*/) {}

    // Whether rows of the column may be outside of its memory. Readers then need a RowReader.
    [[nodiscard]] virtual bool packs(const StorageColumn& /*column*/) const { return false; }
    virtual Result<std::unique_ptr<RowReader>> make_reader(const Storage& /*storage*/) const {
        return std::unique_ptr<RowReader>();
    }
    [[nodiscard]] virtual std::uint64_t packed_bytes() const { return 0; }  // of these rows

    // Where the frames are, if they have files of their own. Checkpoints do not contain them then.
    [[nodiscard]] virtual std::filesystem::path folder() const { return {}; }
    // Writes to the checkpoint what it needs in addition to the columns in memory. Not atomic.
    virtual Status save(Storage& /*storage*/, const std::filesystem::path& /*checkpoint*/) { return {}; }
    // Goes back to what was saved; the columns in memory have been restored. Returns how many of the oldest steps are
    // gone.
    virtual Result<std::uint64_t> restore(Storage& /*storage*/, const std::filesystem::path& /*checkpoint*/) {
        return std::uint64_t{0};
    }
};

}  // namespace tenon
