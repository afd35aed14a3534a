// SPDX-License-Identifier: Apache-2.0
// A transform on an artificial env, which looks like an env itself. The checks of envs apply to the pair, and a failure
// is the transform's fault.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/data/column_table.hpp"
#include "base/data/spec_abi.hpp"
#include "commands/check/guarded.hpp"
#include "commands/check/workbench.hpp"
#include "commands/check/world.hpp"
#include "experience/env/copied_action.hpp"
#include "experience/replay/callee.hpp"
#include "tenon/abi/env.h"
#include "tenon/abi/transform.h"

namespace tenon {

class TransformedWorld {
public:
    // Uses the first world that the transform accepts; otherwise returns the sentence with which it refused the first
    // one.
    static Result<std::unique_ptr<TransformedWorld>> make(const Workbench& bench, std::uint32_t lanes);

    [[nodiscard]] Callee<tn_env_api> callee();
    [[nodiscard]] const Callee<tn_transform_api>& transform() const { return transform_; }
    [[nodiscard]] const Composite& inner() const { return inner_; }
    [[nodiscard]] const Composite& outer() const { return outer_; }

private:
    friend struct HostTables;
    TransformedWorld(Instance instance, std::uint32_t lanes, const Composite& inner, Composite outer);

    tn_status describe(tn_env_info& info) const;
    tn_status bind(const tn_env_buffers& buffers);
    tn_status reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds);
    tn_status step(const tn_env_step& call);
    tn_status save(std::uint32_t first, std::uint32_t count, const tn_writer& writer);
    tn_status load(std::uint32_t first, std::uint32_t count, const tn_reader& reader);

    tn_status lay_out(const tn_env_buffers& buffers);
    tn_status apply(std::int32_t event, const tn_env_step& at, const std::uint8_t* mask,
                    const std::uint64_t* seeds = nullptr);
    tn_status end_episodes(const tn_env_step& call);

    Instance instance_;
    Callee<tn_transform_api> transform_;
    Composite inner_;
    Composite outer_;
    SpecTable outer_table_;
    World world_;
    std::uint32_t lanes_;
    bool is_newer_ = false;
    ColumnTable inner_columns_;
    std::vector<GuardedMemory> memory_;          // of inner columns that the transform changes
    std::vector<CopiedAction> actions_;          // before invert
    std::vector<std::pair<View, View>> finals_;  // observations and their final values, on both sides
    std::vector<std::uint8_t> mask_;
    View terminated_;
    View truncated_;
};

}  // namespace tenon
