// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/module.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include "compute/exec/build_id.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

Result<Library> load_module(std::string_view file) {
    const std::filesystem::path folder = installed_folder();
    std::error_code code;
    if (!std::filesystem::exists(folder / file, code)) {
        return environment_problem("there is no " + std::string(file) + " in " + folder.string());
    }
    Result<Library> module = Library::load(folder / file);
    if (!module) {
        return environment_problem(module.error().sentence);
    }
    const Result<void*> build = module->symbol("tenon_module_build");
    if (!build || std::string_view(reinterpret_cast<ModuleBuild>(*build)()) != build_id()) {
        return environment_problem(std::string(file) +
                                   " is of another build of tenon, and that of this program is needed");
    }
    return module;
}

}  // namespace tenon
