// SPDX-License-Identifier: Apache-2.0
// Whether an env draws its lanes, and in which form (picture.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tenon/env_batch_lanes.hpp"
#include "tenon/env_pack_lanes.hpp"
#include "tenon/picture.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
struct DrawingForm {
    static constexpr bool kHasSize = requires(const T& env) {
        { env.picture() } -> std::convertible_to<PictureSize>;
    };

    static constexpr bool has_draw() {
        if constexpr (PackedEnv<T>) {
            return requires(const T& env, std::span<const double, kPacksIn<typename T::State>> state, Picture& out) {
                env.draw(state, out);
            };
        } else if constexpr (BatchedEnv<T>) {
            return requires(const T& env, std::uint32_t lane, Picture& out) { env.draw(lane, out); };
        } else {
            return requires(const T& env, Picture& out) { env.draw(out); };
        }
    }
    static constexpr bool kIsMeant = requires { &T::picture; } || requires { &T::draw; };
    static_assert(
        !kIsMeant || kHasSize,
        "an env that draws must give the size of its pictures: tenon::PictureSize picture() const, or static");
    static_assert(
        !kIsMeant || has_draw(),
        "an env that draws needs a function void draw(tenon::Picture&) const; an env of packs takes the lane's "
        "numbers first, as std::span<const double, N>, and one of batches the lane's number: see tenon/picture.hpp");
    static constexpr bool kDraws = kHasSize && has_draw();
};

}  // namespace TENON_SDK
}  // namespace tenon
