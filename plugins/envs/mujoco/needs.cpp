// SPDX-License-Identifier: Apache-2.0
#include "needs.hpp"

#include <dlfcn.h>
#include <mujoco/mujoco.h>

#include <cstdlib>
#include <string>

#include "gl_context.hpp"
#include "tenon/guard.hpp"

namespace physics {

tenon::Needs look() {
    Dl_info info{};
    const bool known = ::dladdr(reinterpret_cast<const void*>(&mj_versionString), &info) != 0;
    tenon::Need simulator{.name = "MuJoCo",
                          .use = "mujoco/* and dm_control/*",
                          .found = std::string(known ? info.dli_fname : "mapped") + ", version " + mj_versionString()};
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
    return {simulator, pictures};
}

}  // namespace physics
