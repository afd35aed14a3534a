// SPDX-License-Identifier: Apache-2.0
// tenon validate: wires everything, and runs nothing.
#include <iostream>

#include "command.hpp"
#include "command_line.hpp"
#include "commands/validate/advice.hpp"
#include "report.hpp"
#include "shared/presets/manifest_options.hpp"

namespace tenon::host {

int command_validate(const Arguments& arguments) {
    CommandLine line(
        "tenon validate MANIFEST|ALGORITHM ENV [options]",
        "Wires everything without running it, and reports all problems together. It warns of what is probably not "
        "meant;\nvalidate.allow silences a warning, and the exit code stays 0.");
    add_manifest_options(line);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    Problems problems;
    const Request request = manifest_request(line, problems);
    const Setup setup = set_up_whole(request, "validate", problems);
    if (!problems.empty()) {
        return report(problems);
    }
    for (const Advice& advice : advice_of(*setup.wiring)) {
        report_as_warning(advice.problem);
    }
    std::cout << request.manifest.string() << ": fine\n";
    return kSuccess;
}

}  // namespace tenon::host
