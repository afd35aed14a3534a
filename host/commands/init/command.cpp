// SPDX-License-Identifier: Apache-2.0
// tenon init: writes the manifest that an algorithm and an env give.
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/file/atomic.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "report.hpp"
#include "shared/presets/manifest_options.hpp"

namespace tenon::host {

int command_init(const Arguments& arguments) {
    CommandLine line("tenon init ALGORITHM ENV [options]", [] {
        return "Writes a manifest that can be edited, with what --set gives in it." + algorithms_help();
    });
    add_manifest_options(line);
    line.options()("out", text_value("FILE"), "the file to write, which must not exist; without it, stdout");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    if (line.texts("manifest").size() != 2) {
        return report(input_problem("init needs an algorithm and an env", {}, "`tenon init ppo CartPole-v1`"));
    }
    const std::filesystem::path file = line.text("out");
    std::error_code code;
    if (std::filesystem::exists(file, code)) {
        return report(input_problem(file.string() + " exists; name another file, or remove it"));
    }
    Problems problems;
    const std::optional<std::string> text = text_of_words(line, problems, file);
    if (!text) {
        return report(problems);
    }
    if (file.empty()) {
        std::cout << *text;
        return kSuccess;
    }
    const Status written = write_file(file, *text);
    return written ? kSuccess : report(written.error());
}

}  // namespace tenon::host
