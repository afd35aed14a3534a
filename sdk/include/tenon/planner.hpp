// SPDX-License-Identifier: Apache-2.0
// Policies that plan by stepping copies of the env. In place of act (policy.hpp) an author writes
//
//     void plan(const tenon::PlanCall& call) const {
//         std::uint32_t slot = call.copies.take();            // the env as it is now, in all lanes
//         for (std::uint32_t lane = 0; lane < call.lanes(); ++lane) {
//             call.copies.action<std::int64_t>(slot, lane)[0] = 2;
//         }
//         const std::uint32_t next = call.copies.step();      // then read copies.reward(slot, lane) and
//                                                             // copies.observation(next, lane)
//         ...
//         call.row(lane).action<std::int64_t>()[0] = ...;     // what each lane does
//     }
//
// A copy foresees what chance will bring, because it continues the lane's generators. plan is never called by several
// threads at a time, so the policy may keep mutable memory between calls; nothing in it may change a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/planner.h"
#include "tenon/column.hpp"
#include "tenon/guard.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

class EnvCopies {
public:
    EnvCopies() = default;
    // The columns are numbered as in the PolicySpec.
    EnvCopies(const tn_env_copies& host, const std::vector<Spec>& observations, const std::vector<Spec>& actions)
        : host_(&host) {
        const std::span bound(host.columns, host.column_count);
        const auto find = [&](const Spec& spec) { return Column::find(bound, spec.key, spec, host.slots, host.lanes); };
        for (const Spec& spec : observations) {
            observations_.push_back(find(spec));
        }
        for (const Spec& spec : actions) {
            actions_.push_back(find(spec));
        }
        const Spec flag = unbounded("flag", {}, TN_BOOL, {});
        terminated_ = Column::find(bound, "terminated", flag, host.slots, host.lanes);
        truncated_ = Column::find(bound, "truncated", flag, host.slots, host.lanes);
        const bool guides =
            host.struct_size >= offsetof(tn_env_copies, guide) + sizeof(host.guide) && host.guide != nullptr;
        for (const tn_column* column : bound) {
            const std::string_view key = to_view(column->key);
            Column* const own = key == "reward"            ? &reward_
                                : guides && key == "prior" ? &prior_
                                : guides && key == "value" ? &value_
                                                           : nullptr;
            if (own != nullptr) {
                const std::vector<std::int64_t> sizes(column->tensor.shape + 2,
                                                      column->tensor.shape + column->tensor.rank);
                *own = Column::find(bound, key, unbounded(std::string(key), sizes, column->tensor.dtype, {}),
                                    host.slots, host.lanes);
            }
        }
        if (guides && (prior_.elements() == 0 || value_.elements() != 1)) {
            throw InvalidArgument("a network guides a search by the outputs 'prior' and 'value', one value a row");
        }
    }

    // Makes every copy what its lane is now, and returns the slot whose actions the next step reads.
    [[nodiscard]] std::uint32_t take() const { return call(host_->take); }
    // Steps all copies. Rewards and ends are at the slot before; the returned one has what the copies see next, and the
    // next step's actions. A copy that has ended begins another episode.
    [[nodiscard]] std::uint32_t step() const { return call(host_->step); }

    // Whether a network of the run has a function `guide`, with the outputs "prior" and "value".
    [[nodiscard]] bool guided() const { return prior_.elements() > 0; }
    // Computes it for the slot that take or step has returned last.
    void guide() const {
        if (const tn_status status = host_->guide(host_->ctx); status != TN_OK) {
            throw Error(status, "");
        }
    }
    [[nodiscard]] double prior(std::uint32_t slot, std::uint32_t lane, std::size_t action) const {
        return number(prior_, slot, lane, action);
    }
    [[nodiscard]] double value(std::uint32_t slot, std::uint32_t lane) const { return number(value_, slot, lane, 0); }

    template <class E>
    [[nodiscard]] std::span<E> action(std::uint32_t slot, std::uint32_t lane, std::size_t number = 0) const {
        return column_at(actions_, number, "action").row<E>(slot, lane);
    }
    template <class E>
    [[nodiscard]] std::span<const E> observation(std::uint32_t slot, std::uint32_t lane, std::size_t number = 0) const {
        return column_at(observations_, number, "observation").row<const E>(slot, lane);
    }
    // 0 if the env has no reward of the lane.
    [[nodiscard]] double reward(std::uint32_t slot, std::uint32_t lane) const {
        return reward_.elements() == 0 ? 0 : number(reward_, slot, lane, 0);
    }
    [[nodiscard]] bool done(std::uint32_t slot, std::uint32_t lane) const {
        return terminated_.scalar<bool>(slot, lane) || truncated_.scalar<bool>(slot, lane);
    }

private:
    static double number(const Column& column, std::uint32_t slot, std::uint32_t lane, std::size_t element) {
        return column.dtype() == TN_F64 ? column.row<double>(slot, lane)[element]
                                        : static_cast<double>(column.row<float>(slot, lane)[element]);
    }

    // The host has a sentence for a failure.
    [[nodiscard]] std::uint32_t call(tn_status (*function)(void*, std::uint32_t*)) const {
        std::uint32_t slot = 0;
        if (const tn_status status = function(host_->ctx, &slot); status != TN_OK) {
            throw Error(status, "");
        }
        return slot;
    }

    const tn_env_copies* host_ = nullptr;
    std::vector<Column> observations_;
    std::vector<Column> actions_;
    Column reward_;
    Column prior_;
    Column value_;
    Column terminated_;
    Column truncated_;
};

}  // namespace TENON_SDK
}  // namespace tenon
