// SPDX-License-Identifier: Apache-2.0
#include "commands/check/observed.hpp"

namespace tenon {
namespace {

// Takes the rows of running lanes at a slot.
void take(Observed& out, const Storage& storage, std::uint32_t slot) {
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        if (storage.parked()[lane] != 0) {
            continue;
        }
        ++out.rows;
        for (const StorageColumn& column : storage.columns()) {
            const auto* const row = static_cast<const std::byte*>(row_at(column.view, slot, lane));
            std::vector<std::byte>& rows = out.columns[column.key];
            rows.insert(rows.end(), row, row + row_bytes(column));
        }
    }
}

// A batch that is used as a whole begins at slot 0 and is discarded here; ring buffers continue.
Status collect_some(WiredRun& run, Observed& out) {
    Storage& storage = run.trainer->source().storage();
    if (!run.wiring().learns_by_batch()) {
        Status collected = run.trainer->collect();
        take(out, storage, storage.head());
        return collected;
    }
    Status collected = run.trainer->collect_batch();
    for (std::uint32_t slot = 0; slot < storage.head() && collected; ++slot) {
        take(out, storage, slot);
    }
    storage.rewind();
    return collected;
}

}  // namespace

Result<Observed> Observed::collect(WiredRun& run, std::size_t rows) {
    Observed out;
    for (std::size_t before = 0; out.rows < rows; before = out.rows) {
        TENON_TRY(collect_some(run, out));
        if (out.rows == before) {
            return plugin_problem("all lanes of the env have failed");
        }
    }
    return out;
}

PortRows Observed::of(std::span<const Port> inputs) const {
    PortRows out(inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto column = columns.find(inputs[i].key);
        if (inputs[i].key == "is_init") {
            out.columns[i].assign(rows, std::byte{1});
        } else if (column != columns.end()) {
            out.columns[i] = column->second;
        } else {
            out.columns[i].assign(rows * out.bytes[i], std::byte{0});
        }
    }
    return out;
}

}  // namespace tenon
