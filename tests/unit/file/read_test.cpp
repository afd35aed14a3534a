// SPDX-License-Identifier: Apache-2.0
#include "file/read.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace tenon;
using tenon::test::ScratchFolder;
using tenon::test::spill;

TEST_CASE("a file is read byte by byte as it is") {
    const ScratchFolder scratch;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{1'000'003}}) {
        std::string bytes(size, '\0');
        for (std::size_t i = 0; i < size; ++i) {
            bytes[i] = static_cast<char>(i * 131 % 251);
        }
        spill(scratch / "f", bytes);
        const auto read = read_file(scratch / "f");
        REQUIRE(read);
        CHECK(*read == bytes);
    }
}

TEST_CASE("files that do not tell their size are read to the end") {
    const auto read = read_file("/proc/self/status");
    REQUIRE(read);
    CHECK_THAT(*read, Catch::Matchers::ContainsSubstring("Pid:"));
}

TEST_CASE("missing, folder and unreadable have sentences and faults of their own") {
    const ScratchFolder scratch;
    const std::string path = (scratch / "x").string();
    const auto missing = read_file(path);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().sentence == "there is no file " + path);
    CHECK(missing.error().fault == Fault::kInput);
    const auto folder = read_file(scratch.path());
    REQUIRE_FALSE(folder);
    CHECK(folder.error().sentence == scratch.path().string() + " is a folder, not a file");
    CHECK(folder.error().fault == Fault::kInput);
    const auto broken = read_file("/proc/self/mem");  // its first page is never mapped
    REQUIRE_FALSE(broken);
    CHECK(broken.error().sentence == "cannot read /proc/self/mem: Input/output error");
    CHECK(broken.error().fault == Fault::kEnvironment);
    const auto endless = read_file(std::string(5000, 'x'));
    REQUIRE_FALSE(endless);
    CHECK_THAT(endless.error().sentence, Catch::Matchers::EndsWith(": File name too long"));
    CHECK(endless.error().fault == Fault::kInput);
}
