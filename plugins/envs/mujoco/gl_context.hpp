// SPDX-License-Identifier: Apache-2.0
// An OpenGL context without a window, by EGL or by OSMesa. The libraries are opened when the first picture is drawn, so
// a machine without them lacks pictures alone.
#pragma once

#include <memory>

namespace physics {

class GlContext {
public:
    // The environment variable MUJOCO_GL names "egl" or "osmesa"; without it, the first of them that works is taken.
    // Throws tenon::Unavailable with the package that is missing.
    static std::unique_ptr<GlContext> open();

    GlContext() = default;
    GlContext(const GlContext&) = delete;
    GlContext& operator=(const GlContext&) = delete;
    virtual ~GlContext() = default;

    // OpenGL draws in one context a thread, and a context is used by one thread at a time.
    virtual void enter() = 0;
    virtual void leave() = 0;
};

std::unique_ptr<GlContext> open_egl();
std::unique_ptr<GlContext> open_osmesa();

}  // namespace physics
