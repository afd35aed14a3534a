// SPDX-License-Identifier: Apache-2.0
#include "base/log/plugin_log.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/log/log.hpp"
#include "support/captured_stderr.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace plugin_log_test {

using tenon::Level;
using tenon::log;

TEST_CASE("the file of plugins has their lines at every level, and none before and after it") {
    const tenon::test::CapturedStderr captured;
    const tenon::test::ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "log.txt";
    tenon::log_of_plugin(Level::kInfo, "before");
    {
        const tenon::PluginLog kept(file);
        log(Level::kWarning, "of the host");
        CHECK_FALSE(std::filesystem::exists(file));
        tenon::log_of_plugin(Level::kDebug, "printed");
        tenon::log_of_plugin(Level::kWarning, "\x1b[2J");
    }
    tenon::log_of_plugin(Level::kInfo, "after");
    CHECK(tenon::test::slurp(file) == "printed\nwarning: \\x1b[2J\n");
    CHECK(captured.text() == "info: before\nwarning: of the host\nwarning: \\x1b[2J\ninfo: after\n");
}

TEST_CASE("the file of plugins ends at its limit, also over several runs of the same folder") {
    const tenon::test::CapturedStderr captured;
    const tenon::test::ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "log.txt";
    constexpr std::size_t kLimit = std::size_t{16} << 20U;
    tenon::test::spill(file, std::string(kLimit - 8, '\n'));
    for (int run = 0; run < 2; ++run) {
        const tenon::PluginLog kept(file);
        for (const char* line : {"one", "two", "three"}) {
            tenon::log_of_plugin(Level::kDebug, line);
        }
    }
    const std::string all = tenon::test::slurp(file);
    CHECK(all.substr(kLimit - 8) == "one\ntwo\nwhat follows is left out: this file has 16 MiB\n");
}

}  // namespace plugin_log_test
