// SPDX-License-Identifier: Apache-2.0
#include "base/data/flags.hpp"

#include <vector>

#include "support/catch.hpp"

namespace flags_test {

namespace {

using namespace tenon;

TEST_CASE("a set flag is found wherever it stands") {
    for (std::size_t size = 0; size < 40; ++size) {
        std::vector<std::uint8_t> flags(size, 0);
        CHECK(!any_set(flags));
        for (std::size_t at = 0; at < size; ++at) {
            flags[at] = at % 2 == 0 ? 1 : 0x80;
            CHECK(any_set(flags));
            flags[at] = 0;
        }
    }
}

TEST_CASE("either flag sets one, whatever bits it has") {
    std::vector<std::uint8_t> a;
    std::vector<std::uint8_t> b;
    for (unsigned value = 0; value < 256; ++value) {
        a.insert(a.end(), {static_cast<std::uint8_t>(value), 0, 0});
        b.insert(b.end(), {0, static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value & 1)});
    }
    for (const std::size_t size : {a.size(), a.size() - 3, std::size_t{5}}) {
        std::vector<std::uint8_t> out(a.size(), 7);
        either_set(a.data(), b.data(), out.data(), size);
        for (std::size_t i = 0; i < a.size(); ++i) {
            REQUIRE(out[i] == (i >= size ? 7 : a[i] != 0 || b[i] != 0 ? 1 : 0));
        }
    }
}

TEST_CASE("every index where either flag is set is visited once, in order") {
    for (std::size_t size = 0; size < 40; ++size) {
        std::vector<std::uint8_t> a(size, 0);
        std::vector<std::uint8_t> b(size, 0);
        std::vector<std::size_t> wanted;
        for (std::size_t i = 0; i < size; ++i) {
            a[i] = i % 5 == 1 ? 0x80 : 0;
            b[i] = i % 7 < 2 ? 1 : 0;
            if ((a[i] | b[i]) != 0) {
                wanted.push_back(i);
            }
        }
        std::vector<std::size_t> visited;
        each_either_set(a.data(), b.data(), size, [&](std::size_t i) { visited.push_back(i); });
        CHECK(visited == wanted);
    }
}

}  // namespace

}  // namespace flags_test
