// SPDX-License-Identifier: Apache-2.0
// What the process writes to stderr while this lives.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace tenon::test {

class CapturedStderr {
public:
    CapturedStderr() : before_(::dup(STDERR_FILENO)) {
        const int file = ::open(path().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        REQUIRE(::dup2(file, STDERR_FILENO) == STDERR_FILENO);
        ::close(file);
    }
    ~CapturedStderr() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
    }
    CapturedStderr(const CapturedStderr&) = delete;
    CapturedStderr& operator=(const CapturedStderr&) = delete;

    [[nodiscard]] std::string text() const { return slurp(path()); }

private:
    [[nodiscard]] std::filesystem::path path() const { return folder_ / "stderr"; }

    ScratchFolder folder_;
    int before_;
};

}  // namespace tenon::test
