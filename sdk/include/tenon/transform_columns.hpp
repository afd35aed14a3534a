// SPDX-License-Identifier: Apache-2.0
// The half of a transform's adapter that does not depend on the author's type: the columns on both sides, by key and as
// memory. A plugin with many transforms contains this code only once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tenon/abi/transform.h"
#include "tenon/guard.hpp"
#include "tenon/transform_group.hpp"
#include "tenon/transform_specs.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// A column that goes through apply or invert, for each agent separately.
struct MappedColumn {
    Port inner;
    Port outer;
    std::size_t agents = 1;
};

// The place of a column in the author's list `columns`; 0 of a single one.
struct ColumnIndex {
    std::size_t value;
};

class TransformColumns {
public:
    explicit TransformColumns(std::uint32_t lanes) : lanes_(lanes) {
        if (lanes == 0) {
            throw InvalidArgument("a transform needs at least one lane");
        }
    }

    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
    [[nodiscard]] TransformSpecs& specs() { return specs_; }
    [[nodiscard]] std::span<MappedColumn> mapped() { return mapped_; }
    // A lane has a Lane for each agent and mapped column, or one if none is mapped. Where columns have different
    // numbers of agents, some of them stay unused.
    [[nodiscard]] std::size_t per_lane() const { return mapped_.empty() ? 1 : agents_ * mapped_.size(); }
    [[nodiscard]] std::size_t agents() const { return agents_; }

    // Reads the input specs; earlier ones are discarded.
    void read(std::span<const tn_spec* const> specs) {
        std::vector<Spec> inner;
        for (const tn_spec* one : specs) {
            inner.push_back(read_spec(*one));
        }
        specs_ = TransformSpecs(std::move(inner), lanes_);
        mapped_.clear();
    }

    // Marks each key as mapped; the caller must then call replace for every one of them.
    void map(std::span<const std::string> keys) {
        mapped_.assign(keys.size(), {});
        agents_ = 1;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            specs_.read(mapped_[i].inner, keys[i]);
            mapped_[i].agents = agents_in(mapped_[i].inner.spec);
            agents_ = std::max(agents_, mapped_[i].agents);
        }
    }
    // after: of one agent.
    void replace(std::size_t i, Spec after) {
        const Spec& before = mapped_[i].inner.spec;
        specs_.replace(mapped_[i].outer, before.key, for_all_agents(before, std::move(after)));
    }

    // Throws if the transform has no function for a column of this role.
    static void check_role(const Spec& inner, bool applies, bool inverts) {
        const bool is_action = inner.role == TN_ROLE_ACTION;
        if (is_action ? !inverts : !applies) {
            throw InvalidArgument("column '" + inner.key + "' is " + (is_action ? "" : "not ") +
                                  "an action, which this transform does not change");
        }
    }

    // The output specs; they are valid until the next read.
    void give(tn_transform_info& info) {
        table_ = SpecTable(specs_.outer());
        info.specs = table_.data();
        info.spec_count = table_.size();
        described_ = true;
    }

    void bind(const tn_transform_buffers& buffers) {
        if (buffers.lanes != lanes_) {
            throw InvalidArgument("bound with another number of lanes than created with");
        }
        if (!described_) {
            throw FailedPrecondition("the transform was bound before it described its columns");
        }
        specs_.bind(buffers);
        const std::span inner(buffers.inner, buffers.inner_count);
        const Spec flag = unbounded("flag", {}, TN_BOOL, {});
        ends_ = {.terminated = Column::find(inner, "terminated", flag, buffers.slots, buffers.lanes),
                 .truncated = Column::find(inner, "truncated", flag, buffers.slots, buffers.lanes)};
        bound_ = true;
    }

    void require_range(const tn_transform_call& call) const {
        if (!bound_) {
            throw FailedPrecondition("the transform was used before its columns were bound");
        }
        if (call.first > lanes_ || call.count > lanes_ - call.first) {
            throw InvalidArgument("the host named lanes that do not exist");
        }
    }

    [[nodiscard]] TransformRow row_of_reset(std::uint32_t lane, const tn_transform_call& call) const {
        return {ends_, lane, call.slot, call.next_slot, {.begins = true}};
    }
    // The row before the step, when it is not yet known how the step ends.
    [[nodiscard]] TransformRow row_of_action(std::uint32_t lane, const tn_transform_call& call) const {
        return {ends_, lane, call.slot, call.next_slot, {}};
    }
    [[nodiscard]] TransformRow row_of_step(std::uint32_t lane, const tn_transform_call& call) const {
        return {ends_,
                lane,
                call.slot,
                call.next_slot,
                {.terminated = ends_.terminated.scalar<bool>(call.slot, lane),
                 .truncated = ends_.truncated.scalar<bool>(call.slot, lane)}};
    }

private:
    std::uint32_t lanes_;
    TransformSpecs specs_{{}};
    std::vector<MappedColumn> mapped_;
    std::size_t agents_ = 1;  // the most that a mapped column has
    SpecTable table_;
    EndColumns ends_;
    bool described_ = false;
    bool bound_ = false;
};

}  // namespace TENON_SDK
}  // namespace tenon
