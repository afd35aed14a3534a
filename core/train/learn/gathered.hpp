// SPDX-License-Identifier: Apache-2.0
// The columns of a minibatch, gathered from where its rows come: one source, or several. Each source has the columns
// under a prefix; sources with the same prefix (a mixture) have different rows of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/slab.hpp"
#include "compute/exec/program.hpp"
#include "experience/env/goal_judge.hpp"
#include "experience/env/row_transform.hpp"
#include "experience/replay/device_gather.hpp"
#include "experience/replay/device_ring.hpp"
#include "experience/replay/gather.hpp"
#include "experience/replay/sampler_plan.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

struct RowSource {
    std::string prefix;                               // of its columns: "expert."
    const SamplerPlan* plan = nullptr;                // borrowed until Gathered::make returns
    const Storage* storage = nullptr;                 // may be moved, but not destroyed
    std::uint32_t first = 0;                          // the row of the minibatch where its rows begin
    std::uint32_t count = 0;                          // 0: as many as the minibatch has
    std::vector<RowTransform>* transforms = nullptr;  // of its rows; null if there are none; make takes them
    std::optional<GoalJudge>* goals = nullptr;        // of rows that are relabelled, likewise
    tn_key draws = {};                                // of its transforms
    const DeviceRing* ring = nullptr;  // where its frames are; if set, it is the only source and has none of the above
    bool prioritises_on_device = false;  // its sampler takes priorities from the device
};

// The rows of one minibatch: of every source, in their order.
struct ChosenRows {
    std::span<const SampledRows> parts;
    Sizes sizes;
    std::uint64_t number = 0;  // of the minibatch, by which transforms draw
};

class Gathered {
public:
    // Minibatches have at most `rows` rows. reader: as in resolve.
    static Result<Gathered> make(std::span<const Port> inputs, std::string_view reader, std::uint32_t rows,
                                 std::span<const RowSource> sources);

    // Makes room for larger minibatches; the columns then have other addresses. Only for rows of one source that are
    // neither transformed nor relabelled.
    Status reserve(std::uint32_t rows);

    // In the order of the inputs.
    [[nodiscard]] std::span<const Port> ports() const { return ports_; }
    [[nodiscard]] std::span<void* const> columns() const { return columns_; }
    // Whether they are on a device.
    [[nodiscard]] bool is_on_device() const { return on_device_ != nullptr; }
    Status gather(const ChosenRows& rows);

private:
    struct Part {
        GatherPlan plan;
        std::uint32_t count;
        std::vector<std::size_t> ports;  // those of the plan, as indices of all ports
        std::vector<void*> columns;      // of the plan's ports, from its first row on
        std::vector<RowTransform> transforms;
        std::optional<GoalJudge> goals;
        tn_key draws;
    };
    // An observation that is transformed before and after the step; both are in one piece of memory.
    struct Pair {
        std::string key;
        std::string next;  // the key of the observation after the step
        std::size_t apart;
        Slab memory;
    };
    Status make_on_device(const RowSource& source, std::string_view reader, std::uint32_t rows);
    Status add_pairs(const RowSource& source, std::uint32_t rows);
    Result<std::byte*> memory_of(std::size_t input, const Port& port, std::uint32_t rows);
    Status bind(const RowSource& source, Part& part, std::uint32_t rows);
    Status add_unread(const RowSource& source, const GatherPlan& plan, std::uint32_t rows, std::vector<void*>& columns);

    std::uint32_t rows_ = 0;
    std::vector<Port> ports_;
    std::vector<Slab> memory_;
    std::vector<Pair> pairs_;
    std::vector<void*> columns_;
    std::vector<Part> parts_;
    std::unique_ptr<DeviceGather> on_device_;
};

}  // namespace tenon
