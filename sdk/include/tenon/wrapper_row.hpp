// SPDX-License-Identifier: Apache-2.0
// One lane as a wrapper's functions see it: the latest step of the inner env, and what the outside gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tenon/env_lane.hpp"
#include "tenon/version.hpp"
#include "tenon/wrapper_columns.hpp"

namespace tenon {
inline namespace TENON_SDK {

class WrapperRow {
public:
    // Where the rows of the present event are.
    struct Event {
        std::uint32_t lane = 0;
        std::uint32_t slot = 0;
        std::uint32_t next_slot = 0;
        std::int64_t steps = 0;
        bool begins = false;       // the inner env has begun an episode
        bool inner_ended = false;  // the inner observation is the final one of its episode
        bool outer_ended = false;  // and so is the one to be written
        bool is_left = false;      // the inner env is still where its episode ended
    };
    WrapperRow(const WrapperColumns& columns, const Event& event, double& total, std::uint8_t& ends)
        : columns_(&columns), event_(event), total_(&total), ends_(&ends) {}

    // Steps of the inner env since the policy acted.
    [[nodiscard]] std::int64_t steps() const { return event_.steps; }
    // Whether the observation is the first of an episode of the inner env.
    [[nodiscard]] bool begins() const { return event_.begins; }

    // How the latest inner step ended.
    [[nodiscard]] bool terminated() const { return flag(columns_->inner.terminated); }
    [[nodiscard]] bool truncated() const { return flag(columns_->inner.truncated); }
    [[nodiscard]] bool done() const { return terminated() || truncated(); }
    [[nodiscard]] double reward() const {  // 0 if the env only has rewards of agents
        if (columns_->inner.reward.elements() == 0) {
            return 0;
        }
        return with_dtype(columns_->inner.reward.dtype(), [&](auto zero) {
            return static_cast<double>(columns_->inner.reward.scalar<const decltype(zero)>(event_.slot, event_.lane));
        });
    }
    // The reward that the outside gets: the sum of the inner rewards so far, which the author may change.
    [[nodiscard]] double& total() const { return *total_; }

    // End the episode after this step, though the inner env would continue it.
    void truncate() const { *ends_ |= kTruncates; }
    void terminate() const { *ends_ |= kTerminates; }
    // Together with truncate or terminate: the inner env is not reset, and the next episode begins in its present
    // state. The author's begin is called for it, with begins() false.
    void go_on() const { *ends_ |= kGoesOn; }

    // What the policy did, and what the inner env gets.
    template <class E>
    [[nodiscard]] std::span<const E> action(std::size_t number = 0) const {
        return column_at(columns_->outer.actions, number, "action").row<const E>(event_.slot, event_.lane);
    }
    template <class E>
    [[nodiscard]] std::span<E> inner_action(std::size_t number = 0) const {
        return column_at(columns_->inner.actions, number, "action of the inner env").row<E>(event_.slot, event_.lane);
    }
    // The policy's only action as the number of a category; throws if there is no such category.
    [[nodiscard]] std::int64_t choice() const {
        const auto value =
            read_action<std::int64_t>(column_at(columns_->outer.actions, 0, "action"), event_.slot, event_.lane);
        if (value < 0 || value >= columns_->outer.choices) {
            refuse_action(value, columns_->outer.choices);
        }
        return value;
    }

    // The observations and extras that the outside gets. Those that the wrapper passes on are those of the inner env.
    template <class E>
    [[nodiscard]] std::span<E> observation(std::size_t number = 0) const {
        return observation_column(number).row<E>(observation_slot(), event_.lane);
    }
    // An observation of any type.
    [[nodiscard]] std::span<std::byte> observation_bytes(std::size_t number = 0) const {
        return observation_column(number).bytes(observation_slot(), event_.lane);
    }
    template <class E>
    [[nodiscard]] std::span<E> extra(std::size_t number = 0) const {
        return column_at(columns_->outer.extras, number, "extra").row<E>(event_.next_slot, event_.lane);
    }
    template <class E>
    [[nodiscard]] std::span<const E> inner_observation(std::size_t number = 0) const {
        return column_at(event_.inner_ended ? columns_->inner.finals : columns_->inner.observations, number,
                         "observation of the inner env")
            .row<const E>(event_.inner_ended ? event_.slot : event_.next_slot, event_.lane);
    }
    template <class E>
    [[nodiscard]] std::span<const E> inner_extra(std::size_t number = 0) const {
        return column_at(columns_->inner.extras, number, "extra of the inner env")
            .row<const E>(event_.next_slot, event_.lane);
    }

    // Draws the inner env as it is now. Where an episode has ended (ended()) that may be the next one: see is_left().
    void draw(std::span<std::uint8_t> pixels) const { columns_->pictures.draw(event_.lane, pixels); }
    // Whether the observation to be written is the final one of an episode.
    [[nodiscard]] bool ended() const { return event_.outer_ended; }
    // In observe, where ended(): whether draw() shows the end of the episode. Inner envs that leave it do so for
    // wrappers that declare `static constexpr bool draws_ends = true`.
    [[nodiscard]] bool is_left() const { return event_.is_left; }

    [[nodiscard]] std::uint32_t lane() const { return event_.lane; }

    static constexpr std::uint8_t kTerminates = 1;
    static constexpr std::uint8_t kTruncates = 2;
    static constexpr std::uint8_t kGoesOn = 4;

private:
    [[nodiscard]] const Column& observation_column(std::size_t number) const {
        return column_at(event_.outer_ended ? columns_->outer.finals : columns_->outer.observations, number,
                         "observation");
    }
    [[nodiscard]] std::uint32_t observation_slot() const { return event_.outer_ended ? event_.slot : event_.next_slot; }
    [[nodiscard]] bool flag(const Column& column) const { return column.scalar<bool>(event_.slot, event_.lane); }

    const WrapperColumns* columns_;
    Event event_;
    double* total_;
    std::uint8_t* ends_;
};

}  // namespace TENON_SDK
}  // namespace tenon
