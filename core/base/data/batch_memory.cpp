// SPDX-License-Identifier: Apache-2.0
#include "base/data/batch_memory.hpp"

#include <utility>

namespace tenon {
namespace {

std::size_t aligned(std::size_t bytes) {
    return (bytes + kSlabAlignment - 1) / kSlabAlignment * kSlabAlignment;
}

}  // namespace

Result<Consolidated> consolidate(const Batch& batch) {
    std::size_t bytes = 0;
    for (const BatchColumn& column : batch.columns()) {
        bytes += aligned(column.view.bytes());
    }
    Slab slab = TENON_TRY(Slab::make(bytes));
    const auto memory = std::make_shared<const Slab>(std::move(slab));
    Batch out(batch.leading());
    std::size_t at = 0;
    for (const BatchColumn& column : batch.columns()) {
        const View place = dense(memory->as<std::byte>() + at, column.view.dtype, column.view.shape);
        copy(column.view, place);
        at += aligned(column.view.bytes());
        TENON_TRY(out.set(column.key, place, memory));
    }
    return Consolidated{.batch = std::move(out), .memory = memory};
}

}  // namespace tenon
