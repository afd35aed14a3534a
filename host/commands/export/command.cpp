// SPDX-License-Identifier: Apache-2.0
// tenon export: a policy as a file for another program.
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "base/log/log.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/export/c_file.hpp"
#include "commands/export/onnx_file.hpp"
#include "commands/export/weights_file.hpp"
#include "plugin_options.hpp"
#include "report.hpp"

namespace tenon::host {

int command_export(const Arguments& arguments) {
    CommandLine line("tenon export DIR --out FILE [options]",
                     "Writes the policy of a checkpoint of the run in DIR as one file: of C99 or ONNX, which act as "
                     "evaluations do, or\n"
                     "of safetensors, which has the weights.");
    add_plugin_options(line);
    line.options()("format", text_value("FORMAT"), "c, onnx or safetensors; the default is what FILE ends with")(
        "out", text_value("FILE"), "the file to write; the functions of C begin with its name")(
        "checkpoint", text_value("WHICH"),
        "best, last, a number of frames, or a checkpoint's folder; the default is best, or last if the run has had no "
        "evaluations");
    line.positional("dir", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("dir");
    if (words.empty() || !line.has("out")) {
        return report(input_problem("export needs the folder of a run and --out FILE"));
    }
    const std::string ending = std::filesystem::path(line.text("out")).extension().string();
    const std::string format = line.has("format") ? line.text("format") : ending.substr(ending.empty() ? 0 : 1);
    if (format != "c" && format != "onnx" && format != "safetensors") {
        return report(input_problem(line.has("format")
                                        ? "--format must be c, onnx or safetensors, but is '" + format + "'"
                                        : "the name of " + line.text("out") +
                                              " does not say its format: let it end with .c, "
                                              ".onnx or .safetensors, or give --format"));
    }
    RunRequest request{.folder = words.front(), .checkpoint = {}, .plugins = given_plugin_folders(line)};
    if (line.has("checkpoint")) {
        request.checkpoint = line.text("checkpoint");
    }
    Problems problems;
    const auto warn = [](std::string_view sentence) { log(Level::kWarning, sentence); };
    const auto write = format == "c" ? export_c : format == "onnx" ? export_onnx : export_safetensors;
    if (!write(request, line.text("out"), warn, problems)) {
        return report(problems);
    }
    std::cout << "wrote " << line.text("out")
              << (format == "c" ? "; the comment at its beginning says how to compile and call it\n" : "\n");
    return kSuccess;
}

}  // namespace tenon::host
