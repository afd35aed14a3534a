// SPDX-License-Identifier: Apache-2.0
// Completion in a build that leaves out other commands: their options are those of a whole build.
#include <cstdio>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "plugins/plugin/search_path.hpp"
#include "support/catch.hpp"

namespace tenon::host {

int command_completion(const Arguments& arguments);

const std::vector<Command>& commands() {
    static const std::vector<Command> table = {{"run", "train", "", nullptr},
                                               {"sweep", "train", "", nullptr},
                                               {"export", "ship", "", nullptr},
                                               {"check", "plugins", "", nullptr}};
    return table;
}

}  // namespace tenon::host

namespace left_out_test {

namespace {

// The lines about options of commands.
std::set<std::string> lines_of(const std::string& script) {
    std::set<std::string> out;
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
        const bool of_options =
            line.find(") options='--") != std::string::npos || line.find(" -l ") != std::string::npos;
        for (const tenon::host::Command& command : tenon::host::commands()) {
            const std::string name(command.name);
            if (of_options &&
                (line.starts_with("    " + name + ") ") || line.find("from " + name + "'") != std::string::npos)) {
                out.insert(line);
            }
        }
    }
    return out;
}

std::string of_this_program(const std::string& shell) {
    std::ostringstream text;
    std::streambuf* const screen = std::cout.rdbuf(text.rdbuf());
    CHECK(tenon::host::command_completion({shell}) == 0);
    std::cout.rdbuf(screen);
    return text.str();
}

std::string of_the_whole_program(const std::string& shell) {
    const auto program = tenon::find_program("tenon");
    REQUIRE(program);
    FILE* const pipe = ::popen(("'" + program->string() + "' completion " + shell).c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string out;
    char block[4096];
    for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) {
        out.append(block, got);
    }
    CHECK(::pclose(pipe) == 0);
    return out;
}

}  // namespace

TEST_CASE("the options of commands that are left out are those of a whole build") {
    const std::set<std::string> bash = lines_of(of_this_program("bash"));
    CHECK(bash.size() == 4);
    CHECK(bash == lines_of(of_the_whole_program("bash")));
    const std::set<std::string> fish = lines_of(of_this_program("fish"));
    CHECK(fish.size() > 30);
    CHECK(fish == lines_of(of_the_whole_program("fish")));
}

}  // namespace left_out_test
