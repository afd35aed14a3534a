// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/loop.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/catch.hpp"

namespace loop_test {

using namespace tenon::compiled;

namespace {

// Where each element of a view of two dimensions is.
std::vector<std::size_t> places_of(const View& view) {
    std::vector<std::size_t> out;
    for (std::int64_t row = 0; row < view.shape[0]; ++row) {
        for (std::int64_t column = 0; column < view.shape[1]; ++column) {
            out.push_back(static_cast<std::size_t>(view.offset + row * view.strides[0] + column * view.strides[1]));
        }
    }
    return out;
}

template <class T>
void check_parts(const View& view) {
    const std::vector<std::size_t> places = places_of(view);
    std::vector<T> memory(places.back() + 1);
    std::iota(memory.begin(), memory.end(), T{1});
    for (std::size_t first = 0; first < places.size(); ++first) {
        for (std::size_t n = 1; first + n <= places.size(); ++n) {
            std::vector<T> block(places.size());
            bring(view, reinterpret_cast<const std::byte*>(memory.data()), sizeof(T), static_cast<std::int64_t>(first),
                  static_cast<std::int64_t>(n), reinterpret_cast<std::byte*>(block.data()));
            std::vector<T> wanted(places.size());
            std::vector<T> scattered(memory.size());
            for (std::size_t i = 0; i < n; ++i) {
                wanted[i] = memory[places[first + i]];
                scattered[places[first + i]] = wanted[i];
            }
            std::vector<T> placed(memory.size());
            put(view, reinterpret_cast<std::byte*>(placed.data()), sizeof(T), static_cast<std::int64_t>(first),
                static_cast<std::int64_t>(n), reinterpret_cast<const std::byte*>(wanted.data()));
            INFO("elements " << first << " to " << first + n);
            REQUIRE(block == wanted);  // and nothing after them
            REQUIRE(placed == scattered);
        }
    }
}

}  // namespace

TEST_CASE("any part of a view is gathered and scattered, and nothing beside it") {
    for (const View& view : {View{.buffer = 0, .offset = 2, .shape = {5, 3}, .strides = {7, 2}},
                             View{.buffer = 0, .offset = 0, .shape = {3, 5}, .strides = {1, 3}},
                             View{.buffer = 0, .offset = 1, .shape = {2, 17}, .strides = {18, 1}},
                             View{.buffer = 0, .offset = 1, .shape = {4, 8}, .strides = {3, 0}},
                             View{.buffer = 0, .offset = 0, .shape = {3, 16}, .strides = {1, 0}},
                             View{.buffer = 0, .offset = 0, .shape = {3, 16}, .strides = {0, 1}}}) {
        check_parts<std::uint8_t>(view);
        check_parts<std::uint32_t>(view);
        check_parts<std::uint64_t>(view);
    }
}

}  // namespace loop_test
