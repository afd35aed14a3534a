// SPDX-License-Identifier: Apache-2.0
// The parameters of a distribution that acting stores with the action, so that an objective can later compute how far
// the distribution has moved. A head lists them:
//
//     static constexpr std::array kStored = {Stored{"action_loc", &Normal::loc}, Stored{"action_scale",
//     &Normal::scale}};
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <source_location>
#include <vector>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class Head>
struct Stored {
    const char* column;
    Value Head::* parameter;
};

// The head at the time of acting: its parameters are read from the batch's columns.
template <class Head>
Head as_stored(const Graph& g, Head head, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    for (const Stored<Head>& each : Head::kStored) {
        head.*each.parameter = g.batch()[each.column];
    }
    return head;
}

// The number of elements of one row.
inline std::int64_t elements_of(Value parameter) {
    const std::vector<std::int64_t> sizes = sizes_of(parameter);
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// All of them in one vector per row, as an objective passes them from one call of a network to another.
template <class Head>
Value packed(const Head& head, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    std::vector<In> all;
    for (const Stored<Head>& each : Head::kStored) {
        const Value parameter = head.*each.parameter;
        all.emplace_back(sizes_of(parameter).size() == 1 ? parameter : reshape(parameter, {elements_of(parameter)}));
    }
    return all.size() == 1 ? Value{all[0].id} : concat(all);
}

// The head with these parameters in place of its own.
template <class Head>
Head unpacked(Head head, Value all, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    std::int64_t first = 0;
    for (const Stored<Head>& each : Head::kStored) {
        Value& parameter = head.*each.parameter;
        const std::int64_t count = elements_of(parameter);
        const Value piece = slice(all, first, count);
        const std::vector<std::int64_t> sizes = sizes_of(parameter);
        parameter = sizes.size() == 1 ? piece : reshape(piece, sizes);
        first += count;
    }
    return head;
}

}  // namespace TENON_SDK
}  // namespace tenon
