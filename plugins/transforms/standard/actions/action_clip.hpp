// SPDX-License-Identifier: Apache-2.0
// Gives the policy an action without bounds, and the env the nearest one within its bounds or narrower ones. The same
// as Gymnasium's ClipAction and, with `low` and `high`, as TorchRL's ClipTransform of an action.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct ActionClip {
    std::string column;
    std::vector<double> low;
    std::vector<double> high;

    static constexpr auto options = std::tuple{
        tenon::option<&ActionClip::column>("column", "action", "which action"),
        tenon::option<&ActionClip::low>("low", {}, "(-inf,inf)", "lowest: one number, one per element, or none"),
        tenon::option<&ActionClip::high>("high", {}, "(-inf,inf)", "highest: one number, one per element, or none"),
    };

    // The bounds of each element: the env's, and the options' within them.
    static void narrow(std::vector<double>& given, const std::vector<double>& of_env, std::size_t size, bool lowest) {
        if (given.size() > 1 && given.size() != size) {
            throw tenon::InvalidArgument("options 'low' and 'high' must have no number, one, or one for each of the " +
                                         std::to_string(size) + " elements");
        }
        const std::vector<double> wanted = given.empty() ? of_env : given;
        given.clear();
        for (std::size_t i = 0; i < size; ++i) {
            const double option = wanted[wanted.size() > 1 ? i : 0];
            const double bound = of_env[of_env.size() > 1 ? i : 0];
            given.push_back(lowest ? std::max(option, bound) : std::min(option, bound));
        }
    }

    tenon::Spec change(const tenon::Spec& spec) {
        if (spec.kind != TN_SPEC_BOUNDED) {
            throw tenon::InvalidArgument("column '" + spec.key + "' has no bounds to clip to");
        }
        const auto size = static_cast<std::size_t>(spec.elements());
        narrow(low, spec.low, size, true);
        narrow(high, spec.high, size, false);
        for (std::size_t i = 0; i < size; ++i) {
            if (low[i] > high[i]) {
                throw tenon::InvalidArgument("no number is left to '" + spec.key +
                                             "': option 'low' is above 'high' or a bound of the env");
            }
        }
        return tenon::unbounded(spec.key, spec.shape, spec.dtype);
    }

    [[nodiscard]] double invert(double x, std::size_t element) const {
        return std::clamp(x, low[element], high[element]);
    }
};
