// SPDX-License-Identifier: Apache-2.0
// Environments. An author writes the env for one lane and the SDK runs it on many:
//
//     struct Walk {
//         std::int64_t max_episode_steps;              // optional: an option or a constant; 0 or absent: no limit
//         static constexpr auto options = std::tuple{...};
//
//         void setup();                                // optional: once, when the options are set
//         void share(const Walk& first);               // optional: in place of setup() for all lanes but the first
//         static tenon::EnvSpec spec();                // or const, where it depends on options
//         void reset(tenon::Rng& rng, std::span<float> observation);
//         tenon::StepResult step(std::int64_t action, std::span<float> observation);
//     };
//     TENON_PLUGIN("walk", "0.1.0", tenon::env<Walk>("Walk-v0", "what it is"));
//
// reset and step take what they need, in any order:
//     tenon::Rng&                      the lane's generator
//     std::span<float[, N]>            the observation to be written: [N] elements of the type that spec() gives
//     std::int64_t, int, float, double the action, if it is one number
//     std::span<const float[, N]>      the action, if it is several (step only)
//     tenon::EnvRow                    everything, if there are several observations or actions
// An action mask is an observation with the action's name and the suffix _mask: tenon::binary("action_mask", {n}) says
// which of the n categories may be taken next, and policies take no others. The SDK counts steps, truncates at
// max_episode_steps, begins the next episode by itself and keeps the final observation. An exception parks its lane;
// the other lanes continue.
//
// An env whose arithmetic vectorises can step a pack of lanes at once, many times faster; the code reads as for one
// lane (pack.hpp). There is one object for all lanes, which holds only options:
//
//     struct Slide {
//         using State = std::array<tenon::Pack, 2>;                            // the numbers of a lane
//
//         void reset(tenon::Rng& rng, std::span<double, 2> state) const;       // those of one lane
//         tenon::PackResult step(State& state, tenon::Pack action) const;      // or const std::array<tenon::Pack, N>&
//         std::array<tenon::Pack, 3> observe(const State& state) const;        // optional: else the state is observed
//     };
//
// Such an env has one observation, of float32, and one action, categorical (the pack holds 0, 1, ...) or of float32. A
// call of step covers several independent lanes, or repeats one of them, so the result may depend only on the
// arguments.
//
// An env that sees all lanes of a call at once, for a simulator that runs outside of the host (in another process, on a
// device, behind a batched interface): one object for all lanes. It begins the next episode of a lane by itself.
//
//     struct Remote {
//         void open(tenon::EnvBatch batch);            // optional: after the options are set; batch.lanes
//         void reset(tenon::EnvRows rows);             // first observations; row.seed() says if a lane is to be seeded
//         void step(tenon::EnvRows rows) {
//             rows.each([&](tenon::BatchRow row) { send(row.lane(), row.action<float>()); });
//             rows.each([&](tenon::BatchRow row) { receive(row); });  // observation, result, final_observation
//         }
//         void state(tenon::Archive& archive, std::uint32_t lane);    // optional: if a lane can be saved
//     };
//
// A call has all lanes that are not parked; only a step that is repeated for lost lanes has fewer.
// rows.park(lane, status, sentence) gives up one lane, an exception all lanes of the call.
//
// If the lanes of such an env end their steps at different times, it may offer the two halves of a step as well, for
// runs with collector.kind = "pool" (abi/env_async.h), in which no lane waits for the slowest:
//
//     void submit(tenon::EnvRows rows);            // begins a step of these lanes without waiting for it
//     bool is_ready(std::uint32_t lane);           // whether its step has ended; called again and again
//     void receive(tenon::EnvRows rows);           // the results of lanes that are ready
//     std::uint32_t at_once() const;               // optional: how many lanes step at the same time at most; throws
//                                                  // tenon::Unavailable, saying why, if all of them end together
//
// An env that draws its lanes for videos has two more functions, picture and draw (picture.hpp). One with a goal may
// have judge, which says what a step would have been worth with another goal (goal.hpp).
//
// Every lane has its own object. What is large and the same in all of them, such as a map, is made by setup() of
// the first lane, and the others copy it in share(), for example as a std::shared_ptr<const Map>.
//
// State and members without pointers are saved as bytes; for others write `void state(tenon::Archive&)` (state.hpp). An
// env whose results depend on more than its seed and actions declares `static constexpr bool deterministic = false;`.
#pragma once

#include "tenon/env_adapter.hpp"
#include "tenon/goal.hpp"
#include "tenon/picture.hpp"
#include "tenon/plugin.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
consteval auto env(const char* id, const char* help, Preset preset = {}) {
    return component<EnvAdapter<T>, T>(id, "env", help, preset);
}

}  // namespace TENON_SDK
}  // namespace tenon
