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
    const std::string line(std::size_t{1} << 20U, 'x');
    for (int run = 0; run < 2; ++run) {
        const tenon::PluginLog kept(file);
        for (int i = 0; i < 12; ++i) {
            tenon::log_of_plugin(Level::kDebug, line);
        }
    }
    const std::string all = tenon::test::slurp(file);
    CHECK(all.size() < line.size() * 17);
    CHECK(all.ends_with("x\nwhat follows is left out: this file has 16 MiB\n"));
}

}  // namespace plugin_log_test
