// SPDX-License-Identifier: Apache-2.0
// OpenGL by OSMesa, which draws in memory and needs no device. The few declarations are those of Mesa 8 and later.
#include <array>

#include "gl_context.hpp"
#include "gl_library.hpp"
#include "tenon/guard.hpp"

namespace physics {
namespace {

constexpr unsigned kRgba = 0x1908;
constexpr unsigned kBytes = 0x1401;
constexpr int kSide = 16;

struct Osmesa {
    using Context = void*;
    Context (*create_context)(unsigned format, int depth, int stencil, int accumulated, Context shared);
    void (*destroy_context)(Context context);
    unsigned char (*make_current)(Context context, void* pixels, unsigned type, int width, int height);

    explicit Osmesa(const GlLibrary& library) {
        library.find(create_context, "OSMesaCreateContextExt");
        library.find(destroy_context, "OSMesaDestroyContext");
        library.find(make_current, "OSMesaMakeCurrent");
    }
};

class OsmesaContext : public GlContext {
public:
    OsmesaContext() : library_({"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"}), osmesa_(library_) {
        constexpr int kDepth = 24;
        constexpr int kStencil = 8;
        context_ = osmesa_.create_context(kRgba, kDepth, kStencil, 0, nullptr);
        if (context_ == nullptr) {
            throw tenon::Unavailable("OSMesa makes no context");
        }
        library_.show_to_all();
    }
    ~OsmesaContext() override { osmesa_.destroy_context(context_); }

    void enter() override {
        if (osmesa_.make_current(context_, unused_.data(), kBytes, kSide, kSide) == 0) {
            throw tenon::Unavailable("the context of OSMesa cannot be used");
        }
    }
    void leave() override { osmesa_.make_current(nullptr, nullptr, 0, 0, 0); }

private:
    GlLibrary library_;
    Osmesa osmesa_;
    Osmesa::Context context_ = nullptr;
    std::array<unsigned char, std::size_t{4} * kSide * kSide>
        unused_{};  // a window, which OSMesa needs; MuJoCo draws to a buffer of its own
};

}  // namespace

std::unique_ptr<GlContext> open_osmesa() {
    return std::make_unique<OsmesaContext>();
}

}  // namespace physics
