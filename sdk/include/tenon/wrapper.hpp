// SPDX-License-Identifier: Apache-2.0
// Wrappers: what steps an env in place of the policy. An author writes one for a single lane, and the SDK steps the
// inner env in as many lanes at once as it can:
//
//     struct FrameSkip {
//         std::int64_t steps;                                             // inner steps for each outer one
//         static constexpr auto options = std::tuple{...};
//     };
//     TENON_PLUGIN("skip", "0.1.0", tenon::wrapper<FrameSkip>("skip", "every action is repeated"));
//
// That is a whole wrapper: rewards of the inner steps are added up, the last observation is the one that is seen, and
// the end of an episode ends the outer step. An agent's reward counts until the step after which it is absent. More is
// done by functions, each of which may be left out. All of them are const, and take what they need of: Lane&, const
// tenon::WrapperRow&, tenon::Rng&.
//
//     tenon::EnvSpec spec(tenon::EnvSpec inner);            // changes the columns of the inner env; may set members
//     void begin(Lane& lane, tenon::Rng& rng) const;        // an episode begins
//     bool begin(...) const;                                // the same, and true steps the inner env before anybody
//                                                           // sees the observation; then it is called again
//     void act(const tenon::WrapperRow& row) const;         // before each inner step: writes row.inner_action<E>()
//     bool act(...) const;                                  // the same, and false leaves the inner env as it is; then
//                                                           // step is called all the same and writes what follows
//     void step(Lane& lane, const tenon::WrapperRow& row) const;  // after each inner step
//     bool step(...) const;                                 // the same, and true asks for another inner step (instead
//                                                           // of `steps`); it is not taken where an episode ended
//     void observe(Lane& lane, const tenon::WrapperRow& row) const;  // writes observations that spec() adds or changes
//
// A row (wrapper_row.hpp) has the columns of both sides and says how the latest inner step ended: row.reward(),
// row.done(). row.total() is the reward that the outside gets; row.terminate() and row.truncate() end the episode, and
// with row.go_on() the inner env is not reset then. Actions, observations and extras that spec() leaves as they are
// need no function and are not copied.
//
// An env that draws pictures shows them to spec(tenon::EnvSpec inner, const tenon::InnerPictures& pictures) and, by
// row.draw(pixels), to the other functions. With `static constexpr bool draws_ends = true;` the inner env stays where
// an episode ends until observe has drawn it.
//
// The state of a lane is a struct Lane of the author's, saved like an env (state.hpp). It is not reset by itself: write
// begin. An exception parks the lane; the others continue.
#pragma once

#include "tenon/plugin.hpp"
#include "tenon/version.hpp"
#include "tenon/wrapper_adapter.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
consteval auto wrapper(const char* id, const char* help) {
    return component<WrapperAdapter<T>, T>(id, "wrapper", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
