// SPDX-License-Identifier: Apache-2.0
// The policy gives several actions at once, which are taken one after the other. Rewards are added up, and the end of
// an episode ends the chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct ActionChunk {
    std::int64_t steps;
    std::int32_t dtype = TN_F32;

    static constexpr auto options = std::tuple{
        tenon::option<&ActionChunk::steps>("steps", 4, "[1,1000]", "actions given at once"),
    };

    tenon::EnvSpec spec(tenon::EnvSpec inner) {
        tenon::Spec& action = inner.actions[0];
        if (inner.actions.size() != 1) {
            throw tenon::InvalidArgument("the env has several actions, which cannot be given in chunks");
        }
        dtype = action.dtype;
        if (action.kind == TN_SPEC_CATEGORICAL) {
            action = tenon::multi_categorical(
                action.key,
                std::vector<std::int64_t>(static_cast<std::size_t>(steps * action.elements()), action.categories[0]));
            action.dtype = dtype;
            return inner;
        }
        if (action.kind != TN_SPEC_BOUNDED && action.kind != TN_SPEC_UNBOUNDED) {
            throw tenon::InvalidArgument("the action '" + action.key +
                                         "' is neither a choice nor numbers, so it cannot be "
                                         "given in chunks");
        }
        action.shape.insert(action.shape.begin(), steps);
        for (auto* const bounds : {&action.low, &action.high}) {
            const std::vector<double> one = *bounds;
            for (std::int64_t k = 1; k < steps && one.size() > 1; ++k) {
                bounds->insert(bounds->end(), one.begin(), one.end());
            }
        }
        return inner;
    }

    void act(const tenon::WrapperRow& row) const {
        tenon::with_dtype(dtype, [&](auto zero) {
            const auto one = row.inner_action<decltype(zero)>();
            const auto all = row.action<decltype(zero)>();
            std::ranges::copy(all.subspan(static_cast<std::size_t>(row.steps()) * one.size(), one.size()), one.begin());
        });
    }
};
