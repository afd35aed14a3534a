// SPDX-License-Identifier: Apache-2.0
// Finds the env that a person names on the command line: by its component, by the last part of its name, or by an id of
// a library for other people's envs.
#pragma once

#include <string>

#include "base/error/result.hpp"
#include "plugins/plugin/registry.hpp"

namespace tenon {

struct NamedEnv {
    std::string plugin;  // "library/component"
    std::string option;  // that names the env; empty: the component is the env
    std::string value;
};

// word: "classic/CartPole-v1"; "CartPole-v1", of any library; or "gym/CartPole-v1", of a library whose only env needs
// one text. An env that its note calls an example has a short name only if no other library has that name. The problem
// lists the nearest names, or all if several libraries have the env.
Result<NamedEnv> find_env(const Registry& registry, const std::string& word);

// The end of an error that no env has this name: "; did you mean 'classic/CartPole-v1'?" for "cartpole"; empty if no
// name is close.
std::string did_you_mean_env(const Registry& registry, const std::string& word);

}  // namespace tenon
