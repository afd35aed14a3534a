// SPDX-License-Identifier: Apache-2.0
#include "renderer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gl_context.hpp"
#include "tenon/guard.hpp"

namespace physics {
namespace {

std::string cameras_of(const mjModel& model) {
    std::string list;
    for (int i = 0; i < model.ncam; ++i) {
        const char* const name = mj_id2name(&model, mjOBJ_CAMERA, i);
        list += (list.empty() ? "" : ", ") + (name != nullptr ? std::string(name) : std::to_string(i));
    }
    return list.empty() ? "it has none" : "it has: " + list;
}

// Makes the OpenGL context current on this thread, and releases it when it is destroyed.
class Entered {
public:
    explicit Entered(GlContext& gl) : gl_(gl) { gl_.enter(); }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    ~Entered() { gl_.leave(); }

private:
    GlContext& gl_;
};

}  // namespace

mjvCamera find_camera(const mjModel& model, const std::string& wanted) {
    mjvCamera camera{};
    mjv_defaultFreeCamera(&model, &camera);
    if (wanted == "-1") {
        return camera;
    }
    camera.type = mjCAMERA_FIXED;
    camera.fixedcamid = find_object(model, mjOBJ_CAMERA, model.ncam, wanted);
    if (camera.fixedcamid < 0) {
        throw tenon::InvalidArgument("option 'camera': the model has no camera '" + wanted + "'; " + cameras_of(model));
    }
    return camera;
}

// What exists once OpenGL is open.
struct Renderer::Stage {
    Stage(const Model& model, const Model& with_textures, const tenon::PictureSize& size) : gl(GlContext::open()) {
        mjv_defaultScene(&scene);
        mjr_defaultContext(&context);
        const Entered entered(*gl);
        constexpr int kMostShapes = 10000;  // as MuJoCo's own renderer
        guarded([&] {
            mjv_makeScene(model.get(), &scene, kMostShapes);
            mjr_makeContext(with_textures.get(), &context, mjFONTSCALE_100);
            mjr_resizeOffscreen(std::max(context.offWidth, static_cast<int>(size.width)),
                                std::max(context.offHeight, static_cast<int>(size.height)), &context);
            mjr_setBuffer(mjFB_OFFSCREEN, &context);
        });
    }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage() {
        try {
            const Entered entered(*gl);
            guarded([&] {
                mjr_freeContext(&context);
                mjv_freeScene(&scene);
            });
            // A destructor can neither mend nor report a failure.
        } catch (const tenon::Error&) {  // NOLINT(bugprone-empty-catch)
        }
    }

    std::unique_ptr<GlContext> gl;
    mjvScene scene{};
    mjrContext context{};
};

Renderer::Renderer(Model model, ModelSource source, const mjvCamera& camera, const PictureSettings& settings,
                   double seconds)
    : model_(std::move(model)),
      source_(std::move(source)),
      camera_(camera),
      size_{.height = static_cast<std::uint32_t>(settings.height),
            .width = static_cast<std::uint32_t>(settings.width),
            .steps_per_second = 1 / seconds} {}

Renderer::~Renderer() = default;

tenon::PictureSize Renderer::open() {
    const std::scoped_lock lock(mutex_);
    if (stage_ == nullptr) {
        try {
            stage_ = std::make_unique<Stage>(model_, load_model_with_textures(source_), size_);
        } catch (const tenon::FailedPrecondition& error) {
            throw tenon::Unavailable(error.what());  // an OpenGL that is too old for MuJoCo
        }
    }
    return size_;
}

void Renderer::draw(const mjModel& model, mjData& data, tenon::Picture& picture) {
    const mjrRect all{0, 0, static_cast<int>(size_.width), static_cast<int>(size_.height)};
    const std::span<std::uint8_t> pixels = picture.pixels();
    const std::scoped_lock lock(mutex_);
    const Entered entered(*stage_->gl);
    mjvOption shown;
    mjv_defaultOption(&shown);
    guarded([&] {
        mjv_updateScene(&model, &data, &shown, nullptr, &camera_, mjCAT_ALL, &stage_->scene);
        mjr_render(all, &stage_->scene, &stage_->context);
        mjr_readPixels(pixels.data(), nullptr, all, &stage_->context);
    });
    // OpenGL's first row is the lowest.
    const std::size_t row = std::size_t{3} * size_.width;
    for (std::size_t top = 0, bottom = size_.height - 1; top < bottom; ++top, --bottom) {
        std::swap_ranges(pixels.begin() + static_cast<std::ptrdiff_t>(top * row),
                         pixels.begin() + static_cast<std::ptrdiff_t>((top + 1) * row),
                         pixels.begin() + static_cast<std::ptrdiff_t>(bottom * row));
    }
}

std::shared_ptr<Renderer> make_renderer(const Model& model, ModelSource source, const PictureSettings& settings,
                                        double seconds) {
    const std::string standard = model->ncam > 0 ? "0" : "-1";
    const mjvCamera camera = find_camera(*model, settings.camera.empty() ? standard : settings.camera);
    return std::make_shared<Renderer>(model, std::move(source), camera, settings, seconds);
}

}  // namespace physics
