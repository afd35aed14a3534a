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
    Result<Slab> slab = Slab::make(bytes);
    if (!slab) {
        return std::move(slab).error();
    }
    const auto memory = std::make_shared<const Slab>(*std::move(slab));
    Batch out(batch.leading());
    std::size_t at = 0;
    for (const BatchColumn& column : batch.columns()) {
        const View place = dense(memory->as<std::byte>() + at, column.view.dtype, column.view.shape);
        copy(column.view, place);
        at += aligned(column.view.bytes());
        if (Status set = out.set(column.key, place, memory); !set) {
            return std::move(set).error();
        }
    }
    return Consolidated{.batch = std::move(out), .memory = memory};
}

}  // namespace tenon
