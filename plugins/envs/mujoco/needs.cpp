// SPDX-License-Identifier: Apache-2.0
#include "needs.hpp"

#include <dlfcn.h>
#include <mujoco/mujoco.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "find_model.hpp"
#include "gl_context.hpp"
#include "tenon/guard.hpp"

namespace physics {
namespace {

// Without the ".." by which the loader has found it.
std::string library_path() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&mj_versionString), &info) == 0) {
        return "mapped";
    }
    std::error_code code;
    const std::filesystem::path path = std::filesystem::canonical(info.dli_fname, code);
    return code ? info.dli_fname : path.string();
}

}  // namespace

tenon::Needs look() {
    tenon::Need simulator{.name = "MuJoCo",
                          .use = "mujoco/* and dm_control/*",
                          .found = library_path() + ", version " + mj_versionString()};
    tenon::Need pictures{.name = "OpenGL without a window",
                         .use = "pictures of mujoco/* and dm_control/*",
                         .bring = "apt-get install -y libosmesa6"};
    try {
        GlContext::open();
        const char* const variable = std::getenv("MUJOCO_GL");  // NOLINT(concurrency-mt-unsafe)
        pictures.found = variable != nullptr && *variable != '\0' ? variable : "EGL or OSMesa";
    } catch (const tenon::Unavailable& error) {
        pictures.missing = error.what();
    }
    tenon::Need models{.name = "models of dm_control", .use = "dm_control/*", .bring = "pip install 'dm_control>=1.0'"};
    try {
        models.found = find_in_package("dm_control", "suite", "dm_control>=1.0").string();
    } catch (const tenon::InvalidArgument&) {
        models.missing = "no Python that was searched has the package dm_control";
    }
    return {simulator, pictures, models};
}

}  // namespace physics
