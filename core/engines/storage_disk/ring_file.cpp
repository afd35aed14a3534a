// SPDX-License-Identifier: Apache-2.0
#include "engines/storage_disk/ring_file.hpp"

#include <span>
#include <string>

#include "base/file/read.hpp"
#include "base/file/sync.hpp"
#include "engines/storage_disk/disk_layout.hpp"
#include "engines/storage_disk/storage_on_disk.hpp"
#include "train/checkpoint/bytes.hpp"

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

}  // namespace

Status write_ring(Storage& storage, const std::filesystem::path& file) {
    const Past past = past_of(storage);
    ByteWriter out;
    out.begin("ring", 1);
    out.text(layout_of(storage));
    out.number(past.position.head);
    out.numbers(std::span<const std::uint32_t>(past.position.count));
    out.numbers(std::span<const std::uint8_t>(past.position.parked));
    out.number(past.position.appended);
    out.number(past.checksum);
    each_newest(storage, [&](const void* bytes, std::size_t size) { out.raw(bytes, size); });
    out.end();
    const auto bytes = out.bytes();
    return write_and_sync(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<std::uint64_t> restore_ring(Storage& storage, const std::filesystem::path& file) {
    const std::string bytes = TENON_TRY(read_file(file));
    ByteReader in(std::as_bytes(std::span(bytes)), file.string());
    in.enter("ring", 1);
    const std::string saved = in.text();
    const std::string wanted = layout_of(storage);
    if (in.status() && saved != wanted) {
        return input_problem("the checkpoint's buffer has " + saved + ", but this run has " + wanted);
    }
    Past past;
    past.position.head = in.number<std::uint32_t>();
    past.position.count = in.numbers<std::uint32_t>();
    past.position.parked = in.numbers<std::uint8_t>();
    past.position.appended = in.number<std::uint64_t>();
    past.checksum = in.number<std::uint64_t>();
    TENON_TRY(in.status());
    const std::uint64_t gone = TENON_TRY(go_back(storage, past));
    each_newest(storage, [&](void* row, std::size_t size) { in.raw(row, size); });
    in.leave();
    storage.mark();
    TENON_TRY(in.status());
    return gone;
}

}  // namespace tenon
