// SPDX-License-Identifier: Apache-2.0
#include "engines/storage_disk/ring_file.hpp"

#include <string>

#include "engines/storage_disk/disk_layout.hpp"
#include "engines/storage_disk/storage_on_disk.hpp"
#include "train/checkpoint/saved_fields.hpp"

namespace tenon {
namespace {

std::string layout_of(const Storage& storage) {
    return layout_text(storage.slots(), storage.lanes(), storage.columns());
}

// Calls f(bytes, size) for the newest two slots of every column, and then for the final observations of the older
// slot's lanes in which an episode ended.
template <class F>
void each_newest(const Storage& storage, F f) {
    const std::uint32_t last = storage.slot_before(storage.head());
    for (const StorageColumn& column : storage.columns()) {
        const std::size_t size = row_bytes(column) * storage.lanes();
        f(row_at(column.view, last, 0), size);
        f(row_at(column.view, storage.head(), 0), size);
    }
    for (const StorageColumn& column : storage.columns()) {
        for (std::uint32_t lane = 0; column.final.data != nullptr && lane < storage.lanes(); ++lane) {
            if (storage.flags().ended(last, lane)) {
                f(row_at(column.final, last, lane), row_bytes(column));
            }
        }
    }
}

void fields_of(SavedFields saved, std::string& layout, Past& past) {
    Ring::Position& at = past.position;
    saved.fields(layout, at.head, at.count, at.parked, at.appended, past.checksum);
}

}  // namespace

Status write_ring(Storage& storage, const std::filesystem::path& file) {
    Past past = past_of(storage);
    std::string layout = layout_of(storage);
    ByteWriter out;
    out.begin("ring", 1);
    fields_of(SavedFields(out), layout, past);
    each_newest(storage, [&](const void* bytes, std::size_t size) { out.raw(bytes, size); });
    out.end();
    return out.write_to(file);
}

Result<std::uint64_t> restore_ring(Storage& storage, const std::filesystem::path& file) {
    ByteReader in = TENON_TRY(ByteReader::open(file));
    in.enter("ring", 1);
    Past past;
    std::string saved;
    fields_of(SavedFields(in), saved, past);
    TENON_TRY(in.status());
    const std::string wanted = layout_of(storage);
    if (saved != wanted) {
        return input_problem("the checkpoint's buffer has " + saved + ", but this run has " + wanted);
    }
    const std::uint64_t gone = TENON_TRY(go_back(storage, past));
    each_newest(storage, [&](void* row, std::size_t size) { in.raw(row, size); });
    in.leave();
    storage.mark();
    TENON_TRY(in.status());
    return gone;
}

}  // namespace tenon
