// SPDX-License-Identifier: Apache-2.0
// tenon new: creates a plugin from a template.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/json/write.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/new/scaffold.hpp"
#include "report.hpp"
#include "shell_word.hpp"

namespace tenon::host {
namespace {

void print_json(const Scaffold& made, const std::filesystem::path& prefix) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("out").text(made.folder.string()).key("files").begin_array();
    for (const std::string& file : made.files) {
        json.text(file);
    }
    json.end_array().key("prefix").text(prefix.string()).end_object();
    std::cout << text << '\n';
}

void print(const Scaffold& made, const std::filesystem::path& prefix) {
    const std::string folder = shell_word(made.folder.string());
    const std::string build = shell_word((made.folder / "build").string());
    std::cout << made.folder.string() << ":";
    for (const std::string& file : made.files) {
        std::cout << ' ' << file;
    }
    std::cout << "\n\nfrom here to a run:\n    cmake -S " << folder << " -B " << build
              << " -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=" << shell_word(prefix.string())
              << "\n    cmake --build " << build << "\n    " << typed_program() << " run "
              << shell_word((made.folder / "manifest.toml").string())
              << "\nits test, which is `tenon check`:\n    ctest --test-dir " << build << " --output-on-failure\n";
}

}  // namespace

int command_new(const Arguments& arguments) {
    CommandLine line("tenon new KIND NAME [options]",
                     "Creates a folder with a plugin that builds, passes `tenon check` and trains: a source to change, "
                     "four\nlines of CMake, a manifest. KIND is env, wrapper, transform, policy, buffer, objective, "
                     "hook\nor dataset. NAME consists of lower-case letters, digits and '_'.");
    line.options()("lang", text_value("LANGUAGE"), "c or c++ (the default)")(
        "device", text_value("DEVICE"), "cuda: an env or a buffer with kernels, which need no nvcc to be tested")(
        "goal", "an env with goals, from whose episodes runs learn in hindsight")("group", "an env of several agents")(
        "on-policy", "an objective that learns from whole batches, as PPO")(
        "out", text_value("DIR"), "the folder to create; the default is NAME")(
        "json", "one JSON object: out, files, prefix (the installation to build against)");
    line.positional("words", 2);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("words");
    if (words.size() < 2) {
        return report(input_problem("new needs a kind and a name", {}, "`tenon new env hill_climb`"));
    }
    const std::filesystem::path templates = installed_templates();
    std::filesystem::path folder = line.has("out") ? line.text("out") : words[1];
    if (!folder.has_filename()) {  // "plugins/hill/"
        folder = folder.parent_path();
    }
    if (line.has("out") && folder.empty()) {
        return report(input_problem("--out needs the folder to create"));
    }
    const auto made = make_scaffold({.kind = words[0],
                                     .name = words[1],
                                     .language = line.text("lang"),
                                     .device = line.text("device"),
                                     .goal = line.has("goal"),
                                     .group = line.has("group"),
                                     .on_policy = line.has("on-policy"),
                                     .folder = folder,
                                     .templates = templates});
    if (!made) {
        return report(made.error());
    }
    const std::filesystem::path prefix = templates.parent_path().parent_path().parent_path();
    line.has("json") ? print_json(*made, prefix) : print(*made, prefix);
    return kSuccess;
}

}  // namespace tenon::host
