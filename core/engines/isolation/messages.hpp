// SPDX-License-Identifier: Apache-2.0
// The messages between host and worker other than numbers: options, specs and the layout of columns. Readers accept any
// bytes and return nothing for invalid ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/data/dtype.hpp"
#include "base/data/shape.hpp"
#include "config/option/schema.hpp"
#include "tenon/abi/random.h"
#include "tenon/abi/spec.h"

namespace tenon {

using Bytes = std::vector<std::byte>;

// The component that a worker has to load, with its options.
struct WorkerOrder {
    std::string folder;
    std::string component;  // "library/id"
    std::vector<OptionValue> options = {};
    std::uint32_t lanes = 0;
    tn_key key{};
};

Bytes write_order(const WorkerOrder& order);
std::optional<WorkerOrder> read_order(std::span<const std::byte> bytes);

// Specs with the memory that they point to.
class SpecList {
public:
    SpecList() = default;
    // NOLINTBEGIN(performance-noexcept-move-constructor): moving a deque may allocate
    SpecList(SpecList&&) = default;
    SpecList& operator=(SpecList&&) = default;
    // NOLINTEND(performance-noexcept-move-constructor)
    SpecList(const SpecList&) = delete;
    SpecList& operator=(const SpecList&) = delete;
    ~SpecList() = default;

    [[nodiscard]] const tn_spec* const* data() const { return pointers_.data(); }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(pointers_.size()); }

    std::int64_t numbers[2] = {0, 0};  // of an env: determinism class, episode limit

private:
    friend std::optional<SpecList> read_specs_message(std::span<const std::byte> bytes);

    struct Entry {
        std::string key;
        std::vector<std::int64_t> shape;
        std::vector<double> low;
        std::vector<double> high;
        std::vector<std::int64_t> categories;
        std::string group;
        tn_spec spec{};
    };
    std::deque<Entry> entries_;  // contain pointers into themselves
    std::vector<const tn_spec*> pointers_;
};

Bytes write_specs(const tn_spec* const* specs, std::uint32_t count, std::int64_t first, std::int64_t second);
// The caller checks shapes, kinds and types, as for any plugin.
std::optional<SpecList> read_specs_message(std::span<const std::byte> bytes);

// A column in shared memory: [slots][lanes][row], dense.
struct SharedColumn {
    std::string key;
    DType dtype = DType::kF32;
    Shape row;
    std::uint32_t slots = 2;  // 1: all slots share memory
    std::uint64_t offset = 0;
};

struct ColumnsMessage {
    std::uint32_t lanes = 0;
    std::uint64_t status_offset = 0;  // of lane_status
    std::vector<SharedColumn> inner;
    std::vector<SharedColumn> outer;  // of transforms
};

Bytes write_columns(const ColumnsMessage& message);
std::optional<ColumnsMessage> read_columns(std::span<const std::byte> bytes);

}  // namespace tenon
