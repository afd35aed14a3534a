// SPDX-License-Identifier: Apache-2.0
// Selects elements of an observation [n], in the given order: a part of the state makes an env partially observable.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct SelectIndices {
    std::string column;
    std::vector<std::size_t> indices;

    static constexpr auto options = std::tuple{
        tenon::option<&SelectIndices::column>("column", "observation", "which observation"),
        tenon::required<&SelectIndices::indices>("indices", "[0,inf)", "the elements to keep, counted from 0"),
    };

    [[nodiscard]] tenon::Spec change(tenon::Spec spec) const {
        if (spec.shape.size() != 1 || spec.kind == TN_SPEC_ONE_HOT || spec.kind == TN_SPEC_MULTI_CATEGORICAL) {
            throw tenon::InvalidArgument("column '" + spec.key + "' is not a vector of numbers");
        }
        const auto size = static_cast<std::size_t>(spec.shape[0]);
        for (auto* bounds : {&spec.low, &spec.high}) {
            std::vector<double> chosen;
            for (const std::size_t index : indices) {
                if (index >= size) {
                    throw tenon::InvalidArgument("index " + std::to_string(index) + " is not one of the " +
                                                 std::to_string(size) + " elements of '" + spec.key + "'");
                }
                chosen.push_back(bounds->size() > 1 ? (*bounds)[index] : bounds->empty() ? 0 : bounds->front());
            }
            *bounds = bounds->empty() ? *bounds : chosen;
        }
        spec.shape = {static_cast<std::int64_t>(indices.size())};
        return spec;
    }

    void apply(std::span<const std::byte> in, std::span<std::byte> out) const {
        const std::size_t size = out.size() / indices.size();
        for (std::size_t i = 0; i < indices.size(); ++i) {
            std::ranges::copy(in.subspan(indices[i] * size, size), out.subspan(i * size, size).begin());
        }
    }
};
