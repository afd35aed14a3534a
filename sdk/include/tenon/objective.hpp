// SPDX-License-Identifier: Apache-2.0
// Objectives. An author writes
//
//     struct Mine {
//         void prepare(const Graph& g) const;   // optional: columns for a collected batch, advantages for example
//         void update(const Graph& g) const;    // stages, losses, metrics
//         void conclude(const Graph& g) const;  // optional: on the whole batch after the last epoch
//         void store(const Graph& g) const;     // optional: columns of frames that have come into a buffer
//     };
//
// prepare and conclude get the batch of a run without a buffer, [time, lanes]; store gets the frames that have come
// into the buffer since its last call, once, in the same form. store_episodes in its place gets the earlier steps of
// episodes that have ended since then as well: what it writes for them is final, and before that it is what it would be
// if the episode ended at the newest frame. update and conclude read the columns that prepare or
// store wrote like any other column. update gets minibatches of that batch, or rows of a buffer, and may control the
// run:
//     g.control("stop_epochs", kl > limit);  // this update is the last on its batch
//     g.control("skip_update", kl > limit);  // additionally, this update changes nothing
#pragma once

#include <tuple>

#include "tenon/graph_component.hpp"

namespace tenon {
inline namespace TENON_SDK {

// T with the function table that follows from its members.
template <class T>
struct ObjectiveFunctions : T {
    static_assert(requires { &T::update; }, "an objective needs void update(const tenon::Graph&) const");

    static constexpr auto prepare_entry() {
        if constexpr (requires { &T::prepare; }) {
            return std::tuple{function<&T::prepare>("prepare", "", "")};
        } else {
            return std::tuple{};
        }
    }
    static constexpr auto conclude_entry() {
        if constexpr (requires { &T::conclude; }) {
            return std::tuple{function<&T::conclude>("conclude", "", "")};
        } else {
            return std::tuple{};
        }
    }
    static constexpr auto store_entry() {
        if constexpr (requires { &T::store; }) {
            static_assert(!requires { &T::store_episodes; }, "an objective has store or store_episodes, not both");
            return std::tuple{function<&T::store>("store", "", "")};
        } else if constexpr (requires { &T::store_episodes; }) {
            return std::tuple{function<&T::store_episodes>("store_episodes", "", "")};
        } else {
            return std::tuple{};
        }
    }
    static constexpr auto functions = std::tuple_cat(
        prepare_entry(), std::tuple{function<&T::update>("update", "", "")}, conclude_entry(), store_entry());
};

template <class T>
consteval auto objective(const char* id, const char* help) {
    return component<GraphComponent<ObjectiveFunctions<T>>, T>(id, "objective", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
