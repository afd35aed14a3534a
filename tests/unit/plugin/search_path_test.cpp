// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/search_path.hpp"

#include <cstdlib>

#include "support/catch.hpp"

namespace search_path_test {

using namespace tenon;

TEST_CASE("given folders come first, then the environment's, then the installed one") {
    ::setenv("TENON_PLUGIN_PATH", "/a::/b:", 1);
    const std::vector<SearchFolder> folders = search_folders({{"/given", "--plugins", {}}});
    ::unsetenv("TENON_PLUGIN_PATH");
    REQUIRE(folders.size() == 4);
    CHECK(folders[0].path == "/given");
    CHECK(folders[1].path == "/a");
    CHECK(folders[1].source == "TENON_PLUGIN_PATH");
    CHECK(folders[2].path == "/b");
    CHECK(folders[3].path == installed_folder() / "plugins");
    CHECK(folders[3].source.empty());
    CHECK(search_folders({}).size() == 1);
}

TEST_CASE("the installed folder is lib/tenon in the parent of the program's folder") {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    CHECK(installed_folder() == program.parent_path().parent_path() / "lib" / "tenon");
}

}  // namespace search_path_test
