// SPDX-License-Identifier: Apache-2.0
// Transforms. Most change columns row by row. An author writes
//
//     struct Scale {
//         double factor;
//         static constexpr std::string_view column = "reward";   // a constant or an option; or `columns`, a list
//         static constexpr auto options = std::tuple{...};
//
//         tenon::Spec change(tenon::Spec spec) const;    // optional: changes a column's spec, including its key
//         double apply(double x) const;                  // towards the policy: each element; not called for actions
//         double invert(double x) const;                 // towards the env: every element of an action
//     };
//     TENON_PLUGIN("scale", "0.1.0", tenon::transform<Scale>("scale", "rewards times a factor"));
//
// apply and invert may also take the element's index (std::size_t), or a whole row: (std::span<const float> in,
// std::span<float> out) for columns of these types, std::span<const std::byte> and std::span<std::byte> for any. `in`
// and `out` are never the same memory, unless `static constexpr bool in_place = true;` says that they may be, which
// saves a copy. apply may additionally take a const tenon::TransformRow&, which says how the step ended
// (row.terminated(), row.truncated()) or that the row is the first of an episode (row.begins()). Both may take a
// tenon::ColumnIndex, the place of the column in `columns`.
//
// Of a column of a group of agents, change, apply and invert get what one agent has, one agent after the other, and
// every agent has its own Lane. So what is written for one agent serves all of them (transform_group.hpp). An agent
// that is absent is not shown to apply, and its row becomes zeros; when it is back, begin is called for its Lane.
// Functions that read whole rows ask row.takes_part(port, agent) and row.comes(port, agent).
//
// The state of a lane is a struct Lane of the author's. There is one for every lane and column, saved like an env
// (state.hpp). Every function may take a Lane&:
//
//     struct Lane { double total = 0; };
//     void begin(Lane& lane) const;                      // optional: an episode begins
//
// Transforms that add columns, read several or end episodes have the following, instead of apply or in addition to it:
//
//     tenon::Port sum;
//     void wire(tenon::TransformSpecs& specs) { specs.add(sum, tenon::unbounded("episode_reward")); }
//     void begin(Lane& lane, const tenon::TransformRow& row) const;   // after the first observation of an episode
//     void step(Lane& lane, const tenon::TransformRow& row) const;    // after a step
//     void act(const tenon::TransformRow& row) const;    // before a step: writes the env's actions from the policy's
//
// Each of these functions may take a tenon::Rng& (random.hpp), the lane's own generator, which is saved like its Lane.
//
// Lanes run on several threads. What they learn in common is merged between events, when none of them runs:
//
//     void gather(std::span<Lane> lanes);                // in the order of lanes; not in evaluations
//     void state(tenon::Archive& archive);               // what gather keeps; evaluations see training's
//
// Where worker processes have the lanes (collector.kind = "processes"), gather gets the lanes of all of them, but only
// every few steps. A Lane then has to say what gather reads of it:
//
//     struct Lane { std::int64_t seen = 0; void part(tenon::Archive& archive) { archive(seen); } };
//
// What it does to observations outside of learning, as numbers, so that exported policies do it (arithmetic.hpp):
//
//     tenon::Arithmetic arithmetic(tenon::ColumnIndex which) const;   // optional
#pragma once

#include "tenon/plugin.hpp"
#include "tenon/transform_adapter.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
consteval auto transform(const char* id, const char* help) {
    return component<TransformAdapter<T>, T>(id, "transform", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
