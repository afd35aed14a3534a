// SPDX-License-Identifier: Apache-2.0
#include "gl_context.hpp"

#include <cstdlib>
#include <string>

#include "tenon/guard.hpp"

namespace physics {
namespace {

constexpr const char* kOsmesaHelp = "apt-get install -y libosmesa6";
constexpr const char* kEglHelp = "apt-get install -y libegl1 libgl1-mesa-dri";

// Why a way to draw does not work here; empty if it does.
std::string attempt(std::unique_ptr<GlContext> (*open)(), std::unique_ptr<GlContext>& out) {
    try {
        out = open();
        return {};
    } catch (const tenon::Unavailable& error) {
        return error.what();
    }
}

}  // namespace

std::unique_ptr<GlContext> GlContext::open() {
    const char* const variable = std::getenv("MUJOCO_GL");  // NOLINT(concurrency-mt-unsafe)
    const std::string wanted = variable == nullptr ? "" : variable;
    if (!wanted.empty() && wanted != "egl" && wanted != "osmesa") {
        throw tenon::Unavailable("MUJOCO_GL is '" + wanted +
                                 "', but pictures are drawn by 'egl' or 'osmesa'; set it to one of them, or unset it");
    }
    std::unique_ptr<GlContext> made;
    const std::string egl = wanted == "osmesa" ? "not asked for" : attempt(&open_egl, made);
    if (made != nullptr) {
        return made;
    }
    if (wanted == "egl") {
        throw tenon::Unavailable("pictures need OpenGL, and MUJOCO_GL names EGL, which is missing (" + egl +
                                 "); install it, on Debian with: " + kEglHelp);
    }
    const std::string osmesa = attempt(&open_osmesa, made);
    if (made != nullptr) {
        return made;
    }
    if (wanted == "osmesa") {
        throw tenon::Unavailable("pictures need OpenGL, and MUJOCO_GL names OSMesa, which is missing (" + osmesa +
                                 "); install it, on Debian with: " + kOsmesaHelp);
    }
    throw tenon::Unavailable("pictures need OpenGL, and there is neither EGL (" + egl + ") nor OSMesa (" + osmesa +
                             "); install one, on Debian with: " + kOsmesaHelp);
}

}  // namespace physics
