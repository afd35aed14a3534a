// SPDX-License-Identifier: Apache-2.0
// The plugins of tests/fixtures/plugins, by name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "plugins/plugin/host_services.hpp"
#include "plugins/plugin/load.hpp"
#include "plugins/plugin/note.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon::test {

inline std::filesystem::path fixture_folder() {
    return TENON_FIXTURE_PLUGINS;
}
inline std::filesystem::path fixture(const std::string& name) {
    return fixture_folder() / (name + ".so");
}

inline std::vector<SearchFolder> folders(const std::filesystem::path& path) {
    return {{path, "the test", {}}};
}

inline const tn_host& test_host() {
    static Pool pool(1);
    static const HostServices services(pool);
    return services.table();
}

inline Result<LoadedPlugin> load_fixture(const std::string& name) {
    const Result<Note> note = read_note(fixture(name));
    if (!note) {
        return note.error();
    }
    return LoadedPlugin::load(std::make_shared<const PluginFile>(PluginFile{fixture(name), name, *note, {}}),
                              test_host());
}

}  // namespace tenon::test
