// SPDX-License-Identifier: Apache-2.0
// Checks that an author's env has the form that env.hpp describes. Each defect gives one sentence of the compiler. The
// adapter ignores such an env, so that no further errors follow.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "tenon/abi/plugin.h"
#include "tenon/env_batch_lanes.hpp"
#include "tenon/env_binding.hpp"
#include "tenon/env_lane.hpp"
#include "tenon/env_pack_lanes.hpp"
#include "tenon/env_spec.hpp"
#include "tenon/random.hpp"
#include "tenon/signature.hpp"
#include "tenon/state.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The common part of all forms.
template <class T>
struct EnvForm {
    static constexpr bool kIsMade = std::is_default_constructible_v<T>;
    static constexpr bool kHasSpec = requires(const T& env) {
        { env.spec() } -> std::convertible_to<EnvSpec>;
    };
    static constexpr bool kHasReset = requires { typename Signature<decltype(&T::reset)>::Result; };
    static constexpr bool kHasStep = requires { typename Signature<decltype(&T::step)>::Result; };
    static_assert(kIsMade, "an env needs a constructor without arguments; use options and setup(), see tenon/env.hpp");
    static_assert(kHasSpec, "an env needs a function spec, static or const, that returns a tenon::EnvSpec");
    static_assert(kHasReset, "an env needs one function reset, not a template: see tenon/env.hpp");
    static_assert(kHasStep, "an env needs one function step, not a template: see tenon/env.hpp");
    static constexpr bool kFits = kIsMade && kHasSpec && kHasReset && kHasStep;
};

enum class EnvArgument : std::uint8_t { kNone, kGenerator, kObservation, kAction, kRow };

// The kind of parameter that a type A is for reset and step.
template <class A>
constexpr EnvArgument env_argument() {
    using Plain = std::remove_cvref_t<A>;
    constexpr bool kTakesCopy = !std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>;
    if constexpr (std::same_as<A, Rng&>) {
        return EnvArgument::kGenerator;
    } else if constexpr (!kTakesCopy) {
        return EnvArgument::kNone;
    } else if constexpr (std::same_as<Plain, EnvRow>) {
        return EnvArgument::kRow;
    } else if constexpr (SpanTraits<Plain>::kIsSpan) {
        using Element = typename SpanTraits<Plain>::Element;
        if (!ColumnElement<std::remove_const_t<Element>>) {
            return EnvArgument::kNone;
        }
        return std::is_const_v<Element> ? EnvArgument::kAction : EnvArgument::kObservation;
    } else {
        return ScalarAction<Plain> ? EnvArgument::kAction : EnvArgument::kNone;
    }
}

// An env of single lanes.
template <class T>
struct SingleForm : EnvForm<T> {
    template <auto Function, EnvArgument Refused>
    static constexpr bool takes() {
        return []<class... A>(std::type_identity<std::tuple<A...>>) {
            return ((env_argument<A>() != EnvArgument::kNone && env_argument<A>() != Refused) && ...);
        }(std::type_identity<typename Signature<decltype(Function)>::Arguments>{});
    }

    // There is only one observation to write, so a second mutable span is an action without its const.
    template <auto Function>
    static constexpr bool writes_once() {
        return []<class... A>(std::type_identity<std::tuple<A...>>) {
            return ((env_argument<A>() == EnvArgument::kObservation ? 1 : 0) + ... + 0) <= 1;
        }(std::type_identity<typename Signature<decltype(Function)>::Arguments>{});
    }

    // A missing step is reported by another assertion.
    static constexpr bool step_writes_once() {
        if constexpr (EnvForm<T>::kHasStep) {
            return writes_once<&T::step>();
        }
        return true;
    }
    static constexpr bool reset_fits() {
        if constexpr (EnvForm<T>::kHasReset) {
            return takes<&T::reset, EnvArgument::kAction>();
        }
        return true;
    }
    static constexpr bool reset_ends() {
        if constexpr (EnvForm<T>::kHasReset) {
            return std::is_void_v<typename Signature<decltype(&T::reset)>::Result>;
        }
        return true;
    }
    static constexpr bool step_fits() {
        if constexpr (EnvForm<T>::kHasStep) {
            return takes<&T::step, EnvArgument::kNone>();
        }
        return true;
    }
    static constexpr bool step_ends() {
        if constexpr (EnvForm<T>::kHasStep) {
            return std::convertible_to<typename Signature<decltype(&T::step)>::Result, StepResult>;
        }
        return true;
    }
    static_assert(reset_fits(),
                  "reset takes tenon::Rng&, std::span<float> (the observation, of the elements that spec() says) or "
                  "tenon::EnvRow, those that it needs, but no action: see tenon/env.hpp");
    static_assert(reset_ends(), "reset must return nothing: it writes the observation into its span");
    static_assert(step_fits(),
                  "step takes tenon::Rng&, std::span<float> (the observation, of the elements that spec() says), the "
                  "action (std::int64_t, int, float, double or a std::span<const float>) or tenon::EnvRow, those that "
                  "it needs: see tenon/env.hpp");
    static_assert(step_writes_once(),
                  "step has two spans to write to, but only one observation: an action of several numbers is a "
                  "std::span<const float>, with "
                  "const, of the elements that spec() says");
    static_assert(step_ends(), "step must return a tenon::StepResult: {.reward = 1, .terminated = false}");
    static constexpr bool kFits =
        EnvForm<T>::kFits && reset_fits() && reset_ends() && step_fits() && step_writes_once() && step_ends();
};

// An env of packs.
template <class T>
struct PackForm : EnvForm<T> {
    using State = typename T::State;
    static constexpr bool kHasState = !std::same_as<State, Pack>;
    static_assert(kHasState, "the State of an env of packs must be a std::array<tenon::Pack, N>, even if N is 1");

    static constexpr bool reset_fits() {
        return requires(const T& env, Rng& rng, std::span<double, kPacksIn<State>> numbers) {
            env.reset(rng, numbers);
        };
    }
    static constexpr bool step_fits() {
        if constexpr (EnvForm<T>::kHasStep) {
            using Arguments = typename Signature<decltype(&T::step)>::Arguments;
            if constexpr (std::tuple_size_v<Arguments> == 2) {
                using Action = std::remove_cvref_t<std::tuple_element_t<1, Arguments>>;
                return kPacksIn<Action> > 0 &&
                           requires(const T & env, State & state, Action & action)
                {
                    {env.step(state, action)}->std::convertible_to<PackResult>;
                };
            }
            return false;
        }
        return true;
    }
    static constexpr bool observe_fits() {
        if constexpr (requires { &T::observe; }) {
            return requires(const T& env, const State& state) {
                requires(kPacksIn<std::remove_cvref_t<decltype(env.observe(state))>> > 0);
            };
        }
        return true;
    }
    static_assert(
        reset_fits(),
        "reset of an env of packs must be void reset(tenon::Rng&, std::span<double, N>) const, N as in its State");
    static_assert(
        step_fits(),
        "step of an env of packs must be tenon::PackResult step(State&, tenon::Pack) const, or takes its actions as "
        "const std::array<tenon::Pack, N>&: see tenon/env.hpp");
    static_assert(observe_fits(),
                  "observe of an env of packs must be std::array<tenon::Pack, N> observe(const State&) const");
    static constexpr bool kFits = EnvForm<T>::kFits && kHasState && reset_fits() && step_fits() && observe_fits();
};

// An env of batches.
template <class T>
struct BatchForm : EnvForm<T> {
    static constexpr bool reset_fits() {
        return requires(T& env, EnvRows rows) {
            { env.reset(rows) } -> std::same_as<void>;
        };
    }
    static constexpr bool step_ends() {
        return requires(T& env, EnvRows rows) {
            { env.step(rows) } -> std::same_as<void>;
        };
    }
    static_assert(reset_fits(), "reset of an env of batches is void reset(tenon::EnvRows): see tenon/env.hpp");
    static_assert(step_ends(), "step of an env of batches returns nothing: it calls result() of each row");
    static constexpr bool state_fits() {
        return !requires(T& env, Archive& archive) { env.state(archive); };
    }
    static_assert(state_fits(),
                  "state of an env of batches is that of a lane: void state(tenon::Archive&, std::uint32_t lane)");
    static constexpr bool async_fits() {
        return AsyncEnv<T> || !requires { &T::submit; };
    }
    static_assert(
        async_fits(),
        "an env that answers later has void submit(tenon::EnvRows), bool is_ready(std::uint32_t lane) and void "
        "receive(tenon::EnvRows): see tenon/env.hpp");
    static constexpr bool kFits = EnvForm<T>::kFits && reset_fits() && step_ends() && state_fits() && async_fits();
};

// Replaces the lanes of an env that was refused.
struct NoLanes {
    struct Author {
        [[nodiscard]] EnvSpec spec() const { return {}; }
    };
    static constexpr bool kSavable = false;
    static constexpr bool kAllLanes = false;

    explicit NoLanes(const tn_create_args&) {}
    [[nodiscard]] Author author() const { return {}; }
    static void check(const EnvSpec&) {}
    [[nodiscard]] Rng& rng(std::uint32_t lane);
    void reset(const EnvBinding&, std::uint32_t, std::uint32_t) {}
    void step(EnvBinding&, const tn_env_step&) noexcept {}
    void archive(Archive&, std::uint32_t) {}
};

}  // namespace TENON_SDK
}  // namespace tenon
