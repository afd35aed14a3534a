// SPDX-License-Identifier: Apache-2.0
#include "commands/data/subcommands.hpp"

#include "engines/quarantine/gate.hpp"
#include "run/start/kinds.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

Result<NamedFrames> open_frames(const std::filesystem::path& path, const std::vector<SearchFolder>& plugins) {
    Host host(1, Registry::scan(search_folders(plugins), {}, admit));
    host.storages = storage_kinds();
    if (!host.registry.problems().empty()) {
        return host.registry.problems().front();
    }
    return read_named_frames(path, host);
}

}  // namespace tenon
