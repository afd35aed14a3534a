// SPDX-License-Identifier: Apache-2.0
// What a child gets from the process that starts it.
#include "base/file/spawn.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/file/sync.hpp"
#include "support/catch.hpp"

namespace spawn_test {

using namespace tenon;

namespace {

FileDescriptor file_with(std::string_view text) {
    FileDescriptor out(::memfd_create("text", MFD_CLOEXEC));
    REQUIRE(::write(out.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    return out;
}

}  // namespace

TEST_CASE("a child may get descriptors under each other's numbers") {
    const FileDescriptor one = file_with("one\n");
    const FileDescriptor two = file_with("two\n");
    const std::string script = "read a < /proc/self/fd/" + std::to_string(one.get()) + "; read b < /proc/self/fd/" +
                               std::to_string(two.get()) + "; test \"$a $b\" = \"two one\"";
    const Result<pid_t> child =
        spawn("/bin/sh", {"sh", "-c", script}, {{one.get(), two.get()}, {two.get(), one.get()}});
    REQUIRE(child);
    int status = 0;
    REQUIRE(::waitpid(*child, &status, 0) == *child);
    CHECK(status == 0);
}

TEST_CASE("a descriptor that is not open starts no child") {
    CHECK_THAT(spawn("/bin/true", {"true"}, {{-1, 3}}).error().sentence,
               Catch::Matchers::ContainsSubstring("/bin/true could not be started"));
}

}  // namespace spawn_test
