// SPDX-License-Identifier: Apache-2.0
// OpenGL by EGL on a graphics processor, or on Mesa's software device. The few declarations are those of the EGL 1.5
// specification and of the extensions EXT_device_enumeration and EXT_platform_device.
#include <array>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "gl_context.hpp"
#include "gl_library.hpp"
#include "tenon/guard.hpp"

namespace physics {
namespace {

constexpr int kNone = 0x3038;
constexpr unsigned kOpenGl = 0x30A2;
constexpr unsigned kPlatformDevice = 0x313F;

struct Egl {
    using Handle = void*;
    Handle (*get_proc_address)(const char* name);
    unsigned (*initialize)(Handle display, int* major, int* minor);
    unsigned (*bind_api)(unsigned api);
    unsigned (*choose_config)(Handle display, const int* wanted, Handle* configs, int room, int* count);
    Handle (*create_context)(Handle display, Handle config, Handle shared, const int* wanted);
    unsigned (*destroy_context)(Handle display, Handle context);
    unsigned (*make_current)(Handle display, Handle draw, Handle read, Handle context);
    int (*get_error)();
    unsigned (*query_devices)(int room, Handle* devices, int* count);
    Handle (*get_platform_display)(unsigned platform, Handle device, const int* wanted);

    explicit Egl(const GlLibrary& library) {
        library.find(get_proc_address, "eglGetProcAddress");
        library.find(initialize, "eglInitialize");
        library.find(bind_api, "eglBindAPI");
        library.find(choose_config, "eglChooseConfig");
        library.find(create_context, "eglCreateContext");
        library.find(destroy_context, "eglDestroyContext");
        library.find(make_current, "eglMakeCurrent");
        library.find(get_error, "eglGetError");
        find_extension(query_devices, "eglQueryDevicesEXT");
        find_extension(get_platform_display, "eglGetPlatformDisplayEXT");
    }

    template <class Function>
    void find_extension(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(get_proc_address(name));
        if (function == nullptr) {
            throw tenon::Unavailable(std::string("EGL has no ") + name);
        }
    }

    [[nodiscard]] std::string failed(const std::string& what) const {
        std::array<char, 8> code{};
        std::to_chars(code.data(), code.data() + code.size(), get_error(), 16);
        return what + " (EGL error 0x" + code.data() + ")";
    }
};

// All devices, or the one that MUJOCO_EGL_DEVICE_ID numbers.
std::vector<Egl::Handle> devices_of(const Egl& egl) {
    std::array<Egl::Handle, 32> devices{};
    int count = 0;
    if (egl.query_devices(devices.size(), devices.data(), &count) == 0 || count < 1) {
        throw tenon::Unavailable(egl.failed("EGL has no device"));
    }
    std::vector<Egl::Handle> out(devices.begin(), devices.begin() + count);
    const char* const variable = std::getenv("MUJOCO_EGL_DEVICE_ID");  // NOLINT(concurrency-mt-unsafe)
    if (variable == nullptr) {
        return out;
    }
    const std::string_view wanted = variable;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error != std::errc() || end != wanted.data() + wanted.size() || number >= out.size()) {
        throw tenon::Unavailable("MUJOCO_EGL_DEVICE_ID is '" + std::string(wanted) + "', and EGL has " +
                                 std::to_string(count) + " devices, numbered from 0");
    }
    return {out[number]};
}

Egl::Handle open_display(const Egl& egl) {
    for (Egl::Handle device : devices_of(egl)) {
        Egl::Handle const display = egl.get_platform_display(kPlatformDevice, device, nullptr);
        if (display != nullptr && egl.initialize(display, nullptr, nullptr) != 0) {
            return display;  // never terminated: other users of EGL in this process may share it
        }
    }
    throw tenon::Unavailable(egl.failed("no device of EGL can be opened"));
}

class EglContext : public GlContext {
public:
    EglContext() : library_({"libEGL.so.1", "libEGL.so"}), egl_(library_), display_(open_display(egl_)) {
        // 8 bits a colour, depth and stencil as MuJoCo's own offscreen contexts have them.
        static constexpr auto kWanted =
            std::to_array<int>({0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8,  // red, green, blue, alpha
                                0x3025, 24, 0x3026, 8,                       // depth, stencil
                                0x3033, 0x0001,                              // surfaces: pbuffer
                                0x3040, 0x0008, kNone});                     // renders OpenGL
        Egl::Handle config = nullptr;
        int count = 0;
        egl_.bind_api(kOpenGl);
        if (egl_.choose_config(display_, kWanted.data(), &config, 1, &count) == 0 || count < 1) {
            throw tenon::Unavailable(egl_.failed("EGL does not offer OpenGL"));
        }
        context_ = egl_.create_context(display_, config, nullptr, nullptr);
        if (context_ == nullptr) {
            throw tenon::Unavailable(egl_.failed("EGL makes no context"));
        }
        library_.show_to_all();
    }
    ~EglContext() override { egl_.destroy_context(display_, context_); }

    void enter() override {
        egl_.bind_api(kOpenGl);  // of this thread
        if (egl_.make_current(display_, nullptr, nullptr, context_) == 0) {
            throw tenon::Unavailable(egl_.failed("the context of EGL cannot be used"));
        }
    }
    void leave() override { egl_.make_current(display_, nullptr, nullptr, nullptr); }

private:
    GlLibrary library_;
    Egl egl_;
    Egl::Handle display_;
    Egl::Handle context_ = nullptr;
};

}  // namespace

std::unique_ptr<GlContext> open_egl() {
    return std::make_unique<EglContext>();
}

}  // namespace physics
