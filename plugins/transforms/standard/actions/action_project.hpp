// SPDX-License-Identifier: Apache-2.0
// Gives the policy more choices than the env has, so that one policy serves several envs; a choice that the env does
// not have becomes one that it has. The same as TorchRL's DiscreteActionProjection.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/transform.hpp"

struct ActionProject {
    std::string column;
    std::int64_t choices;
    std::string instead;
    std::int64_t inner = 1;

    static constexpr auto options = std::tuple{
        tenon::required<&ActionProject::choices>("choices", "[1,1e9]", "how many the policy has"),
        tenon::option<&ActionProject::column>("column", "action", "which action"),
        tenon::option<&ActionProject::instead>("instead", "random", "random|last",
                                               "what a choice becomes that the env does not have"),
    };

    tenon::Spec change(tenon::Spec spec) {
        if (spec.kind != TN_SPEC_CATEGORICAL) {
            throw tenon::InvalidArgument("column '" + spec.key + "' is not one choice");
        }
        inner = spec.categories[0];
        if (choices < inner) {
            throw tenon::InvalidArgument("option 'choices' is " + std::to_string(choices) + ", but '" + spec.key +
                                         "' of the env has " + std::to_string(inner) + "; it must have at least these");
        }
        spec.categories[0] = choices;
        return spec;
    }

    double invert(double choice, tenon::Rng& rng) const {
        const auto count = static_cast<double>(inner);
        return choice < count      ? choice
               : instead == "last" ? count - 1
                                   : static_cast<double>(rng.below(static_cast<std::uint64_t>(inner)));
    }
};
