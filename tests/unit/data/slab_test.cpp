// SPDX-License-Identifier: Apache-2.0
#include "base/data/slab.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "support/catch.hpp"

namespace slab_test {

namespace {

using namespace tenon;

std::size_t resident_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) {
            return std::stoul(line.substr(6));
        }
    }
    return 0;
}

TEST_CASE("a slab is zeroed, aligned and writable to its end") {
    const auto bytes = GENERATE(as<std::size_t>{}, 1, 63, 64, 65, 4096, (256U << 10) - 1, 256U << 10, 3U << 20);
    CAPTURE(bytes);
    Result<Slab> slab = Slab::make(bytes);
    REQUIRE(slab);
    auto* const data = slab->as<unsigned char>();
    CHECK(reinterpret_cast<std::uintptr_t>(data) % kSlabAlignment == 0);
    CHECK(std::all_of(data, data + bytes, [](unsigned char c) { return c == 0; }));
    std::memset(data, 7, bytes);
    const Slab moved = *std::move(slab);
    CHECK(moved.as<unsigned char>()[bytes - 1] == 7);
    CHECK(moved.size() == bytes);
}

TEST_CASE("a large slab costs what has been written to it") {
    const std::size_t before = resident_kib();
    Result<Slab> slab = Slab::make(std::size_t{4} << 30);
    REQUIRE(slab);
    slab->as<char>()[std::size_t{3} << 30] = 1;
    CHECK(resident_kib() - before < std::size_t{16} * 1024);
}

TEST_CASE("more memory than there can be is a problem with the number in it") {
    const Result<Slab> slab = Slab::make(std::size_t{1} << 60);
    REQUIRE_FALSE(slab);
    CHECK(slab.error().fault == Fault::kEnvironment);
    CHECK_THAT(slab.error().sentence, Catch::Matchers::ContainsSubstring("1073741824.0 GiB"));
}

TEST_CASE("no bytes are an empty slab") {
    const Result<Slab> slab = Slab::make(0);
    REQUIRE(slab);
    CHECK(slab->empty());
}

}  // namespace

}  // namespace slab_test
