// SPDX-License-Identifier: Apache-2.0
// The mask of an action from a column that the env has under another name or as numbers: which choices are allowed.
// Policies and objectives read masks by their name. The same as TorchRL's ActionMask, which reads a column of any name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

#include "tenon/transform.hpp"

struct ActionMask {
    std::string from;
    std::string action;
    double above;
    bool forbids;
    tenon::Port in;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::required<&ActionMask::from>("from", "", "the observation with an element for each choice"),
        tenon::option<&ActionMask::action>("action", "action",
                                           "which action; the mask is called like it, with '_mask'"),
        tenon::option<&ActionMask::above>("above", 0.5, "(-inf,inf)",
                                          "choices are allowed whose element is above this; true is 1, false 0"),
        tenon::option<&ActionMask::forbids>("forbids", false, "these choices are forbidden, and all others allowed"),
    };

    void wire(tenon::TransformSpecs& specs) {
        specs.read(in, from);
        const tenon::Spec& of = specs.find(action);
        const bool is_choice =
            of.kind == TN_SPEC_CATEGORICAL || of.kind == TN_SPEC_ONE_HOT || of.kind == TN_SPEC_MULTI_CATEGORICAL;
        if (of.role != TN_ROLE_ACTION || !is_choice) {
            throw tenon::InvalidArgument("column '" + action + "' is not an action that is a choice");
        }
        const std::int64_t choices = std::accumulate(of.categories.begin(), of.categories.end(), std::int64_t{0});
        if (in.spec.role != TN_ROLE_OBSERVATION || in.spec.group != of.group ||
            tenon::of_one_agent(in.spec).elements() != choices) {
            throw tenon::InvalidArgument("column '" + from +
                                         "' is not an observation with an element for each of the " +
                                         std::to_string(choices) + " choices of '" + action + "'");
        }
        specs.add(out, tenon::for_each_agent(of, tenon::binary(action + "_mask", {choices})));
    }

    static tenon::Arithmetic arithmetic(tenon::ColumnIndex /*which*/) { return {}; }  // it changes no column of the env

    void write(const tenon::TransformRow& row) const {
        const auto mask = row.row<bool>(out);
        for (std::size_t i = 0; i < mask.size(); ++i) {
            mask[i] = (row.number(in, i) > above) != forbids;
        }
    }

    void begin(const tenon::TransformRow& row) const { write(row); }
    void step(const tenon::TransformRow& row) const { write(row); }
};
