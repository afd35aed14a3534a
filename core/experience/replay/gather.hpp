// SPDX-License-Identifier: Apache-2.0
// Copies the rows that a sampler chose into a dense batch. The plan is made once, when the run is wired; gathering
// copies rows without allocation or look-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experience/replay/backing.hpp"
#include "experience/replay/reader.hpp"
#include "experience/replay/sampler_plan.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// The same on a device.
struct SampledOnDevice {
    const std::uint32_t* slots = nullptr;  // [array][stride]
    const std::uint32_t* lanes = nullptr;
    void* const* columns = nullptr;
    std::uint64_t stride = 0;
    double* priorities = nullptr;  // [stride] memory for the priorities of the rows; null: the sampler takes none
};

// The output of one call of a sampler: [array][row] slots and lanes, [column] memory of its own columns.
struct SampledRows {
    const std::uint32_t* const* slots = nullptr;
    const std::uint32_t* const* lanes = nullptr;
    const void* const* columns = nullptr;
    const SampledOnDevice* on_device = nullptr;  // if it is not null, the other members are empty
};

class GatherPlan {
public:
    // Makes one port per distinct key, in their order; reader: as in resolve. Lines and columns of the sampler that
    // nothing reads are omitted. Borrows the storage's memory: the storage may be moved, but not destroyed;
    // one with rows that are not in the memory of their columns may not be moved either.
    static Result<GatherPlan> make(const Storage& storage, const SamplerPlan& sampler,
                                   std::span<const std::string> keys, std::string_view reader);

    // The columns of the batch. A destination has room for all rows and is aligned for the dtype.
    [[nodiscard]] std::span<const Port> ports() const { return ports_; }

    // Fills rows first .. first + count - 1 of every destination, one per port; disjoint ranges may be filled at the
    // same time. The storage must hold the rows of all indices.
    // Not at the same time if the storage has rows that are not in the memory of their columns.
    void gather(const SampledRows& sampled, std::size_t first, std::size_t count, void* const* destinations) const;
    // Fills the columns of histories, for sequences whose first steps are the first rows. Rows of which the lane never
    // had a step have any content.
    void gather_earlier(const SampledRows& sampled, std::size_t sequences, void* const* destinations) const;
    // False: stored rows were damaged, and rows of the last calls are missing.
    [[nodiscard]] bool is_intact() const { return packed_ == nullptr || packed_->intact; }

private:
    struct Op;
    using Copy = void (*)(const Op& op, const std::uint32_t* slots, const std::uint32_t* lanes, std::size_t rows,
                          std::byte* out, std::size_t stride);
    struct Op {
        Copy copy = nullptr;      // null for a column of the sampler
        std::uint32_t array = 0;  // the first index array, or the index of the sampler's column
        std::uint32_t count = 1;  // number of index arrays
        std::uint32_t slots = 0;
        std::uint32_t lanes = 0;
        bool packed = false;        // some of its rows are not in the memory of the column
        std::size_t row_bytes = 0;  // for one array
        const std::byte* rows = nullptr;
        const std::byte* final = nullptr;
        const std::uint8_t* terminated = nullptr;
        const std::uint8_t* truncated = nullptr;
        const std::uint32_t* order = nullptr;  // of an arranged storage
        std::uint32_t earlier = 0;             // this and the next: as in StorageColumn
        const std::byte* before = nullptr;
    };
    template <std::size_t kBytes>
    struct Rows;
    template <std::size_t kBytes>
    struct ArrangedRows;
    template <template <std::size_t> class Copies>
    static Copy copy_for(std::size_t bytes, Reading reading);
    // A port whose column has rows that are not in its memory.
    struct PackedPort {
        std::size_t port = 0;
        const StorageColumn* column = nullptr;
        bool next = false;
    };
    struct PackedPorts {
        const Storage* storage;
        std::unique_ptr<RowReader> reader;
        std::vector<PackedPort> ports = {};
        std::vector<std::uint32_t> order = {};  // of a batch's rows: those of a block together
        bool intact = true;
    };
    Status add_packed(const Storage& storage, const ReaderColumn& column);
    void gather_packed(const SampledRows& sampled, std::size_t first, std::size_t count,
                       void* const* destinations) const;
    static Op make_op(const Storage& storage, const ReaderColumn& column, std::uint32_t array);

    std::vector<Port> ports_;
    std::vector<Op> ops_;                  // one per port
    std::unique_ptr<PackedPorts> packed_;  // null if there are no such ports
};

// Where the columns of a sampler's batches come from.
struct GatherSource {
    Port port;                // of the batch
    ReaderColumn column;      // whose port is one step's; not of a sampler's own column
    std::uint32_t array = 0;  // the first index array, or the index of the sampler's column
    std::uint32_t count = 1;  // number of index arrays
    bool is_own = false;      // the sampler computes it
};

// Returns a source for each distinct key, in their order. `reader`: as in resolve. Lines and columns of the sampler
// that nothing reads are omitted.
Result<std::vector<GatherSource>> gather_sources(const Storage& storage, const SamplerPlan& sampler,
                                                 std::span<const std::string> keys, std::string_view reader);

}  // namespace tenon
