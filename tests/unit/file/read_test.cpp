// SPDX-License-Identifier: Apache-2.0
#include "base/file/read.hpp"

#include <sys/stat.h>

#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace read_test {

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

TEST_CASE("what is no regular file is not read, and a pipe without a writer is not waited for") {
    const ScratchFolder scratch;
    const auto refused = [](const std::filesystem::path& path) {
        const auto read = read_file(path);
        REQUIRE_FALSE(read);
        CHECK(read.error().fault == Fault::kInput);
        return read.error().sentence;
    };
    CHECK(refused("/dev/zero") == "/dev/zero is a device, not a file");
    const std::filesystem::path pipe = scratch / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(refused(pipe) == pipe.string() + " is a pipe, not a file");
}

TEST_CASE("a file that is too large for its kind is refused by its size") {
    const ScratchFolder scratch;
    const std::filesystem::path path = scratch / "f";
    spill(path, "four");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 40U);  // nearly all of it is a hole
    constexpr Largest kLargest{.bytes = std::uint64_t{1} << 20U, .kind = "letter"};
    const auto read = read_file(path, kLargest);
    REQUIRE_FALSE(read);
    CHECK(read.error().sentence == path.string() + " is larger than 1 MiB, which no letter is");
    std::filesystem::resize_file(path, kLargest.bytes);
    CHECK(read_file(path, kLargest));
    const auto growing = read_file("/proc/self/status", Largest{.bytes = 8, .kind = "letter"});  // tells no size
    REQUIRE_FALSE(growing);
    CHECK(growing.error().sentence == "/proc/self/status is larger than 0 MiB, which no letter is");
}

}  // namespace read_test
