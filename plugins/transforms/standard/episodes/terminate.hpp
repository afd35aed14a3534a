// SPDX-License-Identifier: Apache-2.0
// Ends episodes when an element of a column compares with a number: a goal that is reached, a fall. The same as
// TorchRL's TerminateTransform, whose condition is a function.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/transform.hpp"

struct Terminate {
    std::string column;
    std::int64_t element;
    std::string when;
    double value;
    bool truncates;
    tenon::Port in;

    static constexpr auto options = std::tuple{
        tenon::required<&Terminate::column>("column", "", "the column to look at after each step"),
        tenon::option<&Terminate::element>("element", 0, "[0,inf)", "its element, counted through all dimensions"),
        tenon::option<&Terminate::when>("when", "above", "above|at_least|below|at_most|equal",
                                        "how the element compares with `value` when the episode ends"),
        tenon::option<&Terminate::value>("value", 0.5, "(-inf,inf)", "the number; true is 1, false 0"),
        tenon::option<&Terminate::truncates>("truncates", false, "truncates episodes instead: values go on after them"),
    };

    void wire(tenon::TransformSpecs& specs) {
        specs.read(in, column);
        if (element >= in.spec.elements()) {
            throw tenon::InvalidArgument("element " + std::to_string(element) + " is not one of the " +
                                         std::to_string(in.spec.elements()) + " elements of '" + column + "'");
        }
    }

    [[nodiscard]] bool holds(double x) const {
        return when == "above"      ? x > value
               : when == "at_least" ? x >= value
               : when == "below"    ? x < value
               : when == "at_most"  ? x <= value
                                    : x == value;
    }

    // The extras of an episode's last step are those of the next episode's first one.
    void step(const tenon::TransformRow& row) const {
        if (row.done() && in.spec.role == TN_ROLE_EXTRA) {
            return;
        }
        const auto agent = static_cast<std::size_t>(element * static_cast<std::int64_t>(tenon::agents_in(in.spec)) /
                                                    in.spec.elements());
        if (!row.takes_part(in, agent) || !holds(row.number(in, static_cast<std::size_t>(element)))) {
            return;
        }
        if (truncates) {
            row.truncate();
        } else {
            row.terminate();
        }
    }
};
