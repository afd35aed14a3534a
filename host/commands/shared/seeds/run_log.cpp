// SPDX-License-Identifier: Apache-2.0
#include "shared/seeds/run_log.hpp"

#include <fstream>

#include "base/error/printable.hpp"
#include "shared/seeds/remote_request.hpp"

namespace tenon {

Printed read_log(const std::filesystem::path& log, std::streamoff from) {
    Printed out;
    std::ifstream file(log, std::ios::binary);
    file.seekg(from);
    for (std::string line; std::getline(file, line);) {
        if (line.ends_with('\r')) {  // ssh's own lines
            line.pop_back();
        }
        out.begun = out.begun || line.starts_with(kRemoteBegins);
        if (out.error.empty() && line.starts_with("error: ")) {
            out.error = line.substr(7);
        }
        out.last = line.empty() ? out.last : printable(line);
    }
    return out;
}

}  // namespace tenon
