// SPDX-License-Identifier: Apache-2.0
// Draws the lanes of an instance, which share one renderer. It opens OpenGL when it is first asked for pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "simulator.hpp"
#include "tenon/options.hpp"
#include "tenon/picture.hpp"

namespace physics {

struct PictureSettings {
    std::string camera;
    std::int64_t width, height;
};

template <std::int64_t kWidth, std::int64_t kHeight>
constexpr auto picture_options = std::tuple{
    tenon::option<&PictureSettings::width>("width", kWidth, "[1,8192]", "of pictures, in pixels"),
    tenon::option<&PictureSettings::height>("height", kHeight, "[1,8192]", "of pictures, in pixels"),
    tenon::option<&PictureSettings::camera>("camera", "",
                                            "of pictures: a camera of the model by name or number, or -1 for the free "
                                            "one; without it, the usual one of the task")};

// The camera of that name or number. Throws with the cameras that the model has.
mjvCamera find_camera(const mjModel& model, const std::string& wanted);

class Renderer {
public:
    // `seconds`: of a step of the env.
    Renderer(Model model, ModelSource source, const mjvCamera& camera, const PictureSettings& settings, double seconds);
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;
    ~Renderer();

    // Throws tenon::Unavailable if this machine cannot draw.
    tenon::PictureSize open();

    // Draws positions and orientations as they are in the data, with the model of the lane, whose sizes and places may
    // differ from those of the first one. Changes nothing that a step depends on.
    void draw(const mjModel& model, mjData& data, tenon::Picture& picture);

private:
    struct Stage;

    Model model_;
    ModelSource source_;  // with its textures
    mjvCamera camera_;
    tenon::PictureSize size_;
    std::mutex mutex_;  // lanes are drawn by several threads
    std::unique_ptr<Stage> stage_;
};

// With the first camera of the model unless another is wanted.
std::shared_ptr<Renderer> make_renderer(const Model& model, ModelSource source, const PictureSettings& settings,
                                        double seconds);

}  // namespace physics
