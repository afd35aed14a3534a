// SPDX-License-Identifier: Apache-2.0
#include "simulator.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "tenon/guard.hpp"

namespace physics {
namespace {

// MuJoCo's text in one line.
std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (c != '\n') {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ", ";
        }
    }
    while (!line.empty() && (line.back() == ' ' || line.back() == ',')) {
        line.pop_back();
    }
    return line;
}

Model owned(mjModel* model) {
    return {model, [](const mjModel* one) { mj_deleteModel(const_cast<mjModel*>(one)); }};
}

void shrink_patterns(mjSpec& spec) {
    for (mjsElement* one = mjs_firstElement(&spec, mjOBJ_TEXTURE); one != nullptr; one = mjs_nextElement(&spec, one)) {
        mjsTexture* const texture = mjs_asTexture(one);
        if (texture->builtin != mjBUILTIN_NONE) {
            texture->width = 1;
            texture->height = 1;
        }
    }
}

[[noreturn]] void refuse_model(const std::string& path, std::string_view why) {
    const std::string line = one_line(why);
    throw tenon::InvalidArgument("option 'model': MuJoCo cannot read " + path + (line.empty() ? "" : ": " + line));
}

Model load_compiled(const std::string& path) {
    mjModel* model = nullptr;
    guarded([&] { model = mj_loadModel(path.c_str(), nullptr); });
    if (model == nullptr) {
        refuse_model(path, "");
    }
    return owned(model);
}

Model load(const ModelSource& source, void (*change)(mjSpec& spec)) {
    const std::string path = source.file.string();
    if (path.ends_with(".mjb")) {
        return load_compiled(path);
    }
    std::array<char, 1024> error{};
    mjSpec* parsed = nullptr;
    guarded([&] { parsed = mj_parseXML(path.c_str(), nullptr, error.data(), error.size()); });
    const std::unique_ptr<mjSpec, void (*)(mjSpec*)> spec(parsed, [](mjSpec* one) { mj_deleteSpec(one); });
    if (spec == nullptr) {
        refuse_model(path, error.data());
    }
    mjModel* model = nullptr;
    guarded([&] {
        for (auto* const edit : {source.build, change}) {
            if (edit != nullptr) {
                edit(*spec);
            }
        }
        model = mj_compile(spec.get(), nullptr);
    });
    if (model == nullptr) {
        refuse_model(path, mjs_getError(spec.get()));
    }
    return owned(model);
}

}  // namespace

void check_version() {
    if (mj_version() != mjVERSION_HEADER) {
        throw tenon::FailedPrecondition("the MuJoCo library that is loaded is " + std::string(mj_versionString()) +
                                        " (" + std::to_string(mj_version()) + "), and the plugin was built for " +
                                        std::to_string(mjVERSION_HEADER) + "; build it again or install that version");
    }
}

Model load_model(const ModelSource& source) {
    return load(source, shrink_patterns);
}
Model load_model_with_textures(const ModelSource& source) {
    return load(source, nullptr);
}

Model copy_model(const mjModel& model) {
    mjModel* copy = nullptr;
    guarded([&] { copy = mj_copyModel(nullptr, &model); });
    if (copy == nullptr) {
        throw tenon::Error(TN_OUT_OF_MEMORY, "MuJoCo got no memory for the model of a lane");
    }
    return owned(copy);
}

Data make_data(const mjModel& model) {
    mjData* data = nullptr;
    guarded([&] { data = mj_makeData(&model); });
    if (data == nullptr) {
        throw tenon::Error(TN_OUT_OF_MEMORY, "MuJoCo got no memory for the state of a lane");
    }
    return Data(data);
}

void advance(const mjModel& model, mjData& data, std::span<const float> control, int substeps) {
    std::ranges::copy(control, data.ctrl);
    guarded([&] {
        for (int i = 0; i < substeps; ++i) {
            mj_step(&model, &data);
        }
    });
}

// Euler's step has two halves, of which the first is what is wanted at the end: so it costs nothing more.
void advance_fresh(const mjModel& model, mjData& data, std::span<const float> control, int substeps) {
    std::ranges::copy(control, data.ctrl);
    guarded([&] {
        int left = substeps;
        if (model.opt.integrator != mjINT_RK4) {
            mj_step2(&model, &data);
            --left;
        }
        for (; left > 0; --left) {
            mj_step(&model, &data);
        }
        mj_step1(&model, &data);
    });
}

void forward(const mjModel& model, mjData& data) {
    guarded([&] { mj_forward(&model, &data); });
}
void refresh(const mjModel& model, mjData& data) {
    guarded([&] { mj_step1(&model, &data); });
}
void update_places(const mjModel& model, mjData& data) {
    guarded([&] { mj_fwdKinematics(&model, &data); });
}

void place(const mjModel& model, mjData& data, std::span<const double> qpos, std::span<const double> qvel) {
    guarded([&] {
        mj_resetData(&model, &data);
        std::ranges::copy(qpos, data.qpos);
        std::ranges::copy(qvel, data.qvel);
        mj_forward(&model, &data);
    });
}

void archive(tenon::Archive& archive, const mjModel& model, mjData& data, std::vector<double>& scratch) {
    scratch.resize(static_cast<std::size_t>(mj_stateSize(&model, mjSTATE_INTEGRATION)));
    const std::size_t size = scratch.size();
    if (!archive.loading()) {
        mj_getState(&model, &data, scratch.data(), mjSTATE_INTEGRATION);
    }
    archive(scratch);
    if (archive.loading()) {
        if (scratch.size() != size) {
            throw tenon::DataLoss("the saved state is that of another model");
        }
        guarded([&] {
            mj_resetData(&model, &data);
            mj_setState(&model, &data, scratch.data(), mjSTATE_INTEGRATION);
        });
    }
}

tenon::Spec action_spec(const mjModel& model) {
    if (model.nu == 0) {
        throw tenon::InvalidArgument("option 'model': it has no actuator, so there is no action to take");
    }
    std::vector<double> low;
    std::vector<double> high;
    for (int i = 0; i < model.nu; ++i) {
        const bool limited = model.actuator_ctrllimited[i] != 0;
        const mjtNum* const range = model.actuator_ctrlrange + std::ptrdiff_t{2} * i;
        low.push_back(limited ? static_cast<float>(range[0]) : -INFINITY);
        high.push_back(limited ? static_cast<float>(range[1]) : INFINITY);
    }
    return tenon::bounded("action", {model.nu}, std::move(low), std::move(high));
}

int find_object(const mjModel& model, mjtObj type, std::int64_t count, const std::string& wanted) {
    int number = -1;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error != std::errc() || end != wanted.data() + wanted.size()) {
        number = mj_name2id(&model, type, wanted.c_str());
    }
    return number < count ? std::max(number, -1) : -1;
}

int body_of(const mjModel& model, const std::string& name) {
    const int number = find_object(model, mjOBJ_BODY, model.nbody, name);
    if (number < 0) {
        throw tenon::InvalidArgument("the model has no body '" + name + "'");
    }
    return number;
}

}  // namespace physics
