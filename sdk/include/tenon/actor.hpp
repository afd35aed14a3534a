// SPDX-License-Identifier: Apache-2.0
// Stochastic policies. An author writes the network and says which head it has:
//
//     struct Mine {
//         tenon::Normal head(const Graph& g) const;
//         static constexpr auto options = std::tuple{...};
//     };
//     TENON_PLUGIN("mine", "0.1.0", tenon::actor<Mine>("actor", "a normal in every state"));
//
// The policy's functions are those of the head (heads.hpp): sample -> action, log_prob and what the head lists as
// stored; mode; and, if the head has them, mean, log_prob(action), log_probs, entropy, kl from the distribution that
// drew the batch's actions to the present one, distribution (the parameters of the present one), and kl_from such a
// distribution to the present one.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tenon/graph_component.hpp"
#include "tenon/heads/stored.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class Head>
concept HasDensity = requires { Head::kStored; };

template <class Head>
inline constexpr std::size_t kStoredCount = 0;
template <HasDensity Head>
inline constexpr std::size_t kStoredCount<Head> = Head::kStored.size();

// "action log_prob action_loc action_scale".
template <HasDensity Head>
inline constexpr auto kDrawn = [] {
    std::array<char, 256> out{};
    std::size_t at = 0;
    const auto add = [&](std::string_view text) {
        for (const char c : text) {
            out.at(at++) = c;
        }
    };
    add("action log_prob");
    for (const Stored<Head>& each : Head::kStored) {
        add(" ");
        add(each.column);
    }
    return out;
}();

// T with the function table that follows from its head.
template <class T>
struct ActorFunctions : T {
    static_assert(
        requires(const T& author, const Graph& g) { author.head(g); },
        "an actor has a head(const tenon::Graph&) const that returns one of the distributions of heads.hpp");
    using Head = decltype(std::declval<const T&>().head(std::declval<const Graph&>()));

    [[nodiscard]] std::array<Value, 2 + kStoredCount<Head>> sample(const Graph& g) const {
        const Head head = this->head(g);
        const Draw drawn = head.sample();
        std::array<Value, 2 + kStoredCount<Head>> out{drawn.action, drawn.log_prob};
        for (std::size_t i = 0; i < kStoredCount<Head>; ++i) {
            out[2 + i] = head.*Head::kStored[i].parameter;
        }
        return out;
    }
    [[nodiscard]] Value mode(const Graph& g) const { return this->head(g).mode(); }
    [[nodiscard]] Value mean(const Graph& g) const { return this->head(g).mean(); }
    [[nodiscard]] Value log_prob(const Graph& g, Value action) const { return this->head(g).log_prob(action); }
    [[nodiscard]] Value log_probs(const Graph& g) const { return this->head(g).log_probs(); }
    [[nodiscard]] Value entropy(const Graph& g) const { return this->head(g).entropy(); }
    [[nodiscard]] Value kl(const Graph& g) const {
        const Head now = this->head(g);
        return as_stored(g, now).kl(now);
    }
    [[nodiscard]] Value distribution(const Graph& g) const { return packed(this->head(g)); }
    [[nodiscard]] Value kl_from(const Graph& g, Value distribution) const {
        const Head now = this->head(g);
        return unpacked(now, distribution).kl(now);
    }

    static constexpr auto density_entries() {
        if constexpr (HasDensity<Head>) {
            return std::tuple{function<&ActorFunctions::sample>("sample", "", kDrawn<Head>.data()),
                              function<&ActorFunctions::log_prob>("log_prob", "action", "log_prob"),
                              function<&ActorFunctions::entropy>("entropy", "", "entropy"),
                              function<&ActorFunctions::kl>("kl", "", "kl"),
                              function<&ActorFunctions::distribution>("distribution", "", "distribution"),
                              function<&ActorFunctions::kl_from>("kl_from", "distribution", "kl")};
        } else {
            return std::tuple{function<&ActorFunctions::mode>("sample", "", "action")};
        }
    }
    static constexpr auto mean_entry() {
        if constexpr (requires(const Head& head) { head.mean(); }) {
            return std::tuple{function<&ActorFunctions::mean>("mean", "", "mean")};
        } else {
            return std::tuple{};
        }
    }
    static constexpr auto log_probs_entry() {
        if constexpr (requires(const Head& head) { head.log_probs(); }) {
            return std::tuple{function<&ActorFunctions::log_probs>("log_probs", "", "log_probs")};
        } else {
            return std::tuple{};
        }
    }
    static constexpr auto functions =
        std::tuple_cat(density_entries(), std::tuple{function<&ActorFunctions::mode>("mode", "", "action")},
                       mean_entry(), log_probs_entry());
};

template <class T>
consteval auto actor(const char* id, const char* help) {
    return component<GraphComponent<ActorFunctions<T>>, T>(id, "policy", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
