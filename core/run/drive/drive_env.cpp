// SPDX-License-Identifier: Apache-2.0
#include "run/drive/drive_env.hpp"

#include <algorithm>
#include <utility>

#include "base/random/key.hpp"
#include "config/manifest/manifest.hpp"
#include "experience/env/seeds.hpp"
#include "run/start/setup.hpp"
#include "train/collect/make_source.hpp"
#include "train/plan/env_lanes.hpp"

namespace tenon {
namespace {

Result<std::unique_ptr<FrameSource>> source_of(const EnvParts& env, std::uint32_t count, Pool& pool) {
    Lanes lanes = TENON_TRY(make_lanes(env, {}, training_lanes(env, count), 0, "", pool));
    return make_source(std::move(lanes));
}

}  // namespace

std::unique_ptr<DriveEnv> DriveEnv::open(const DriveEnvRequest& request, Problems& problems) {
    const std::optional<Document> document = env_document(request.env, request.lanes, request.overrides, problems);
    if (!document) {
        return nullptr;
    }
    std::unique_ptr<DriveEnv> out(new DriveEnv);
    out->setup_ = set_up_env(read_env_tables(*document, problems), request.plugins, 1, problems);
    if (!problems.empty()) {
        return nullptr;
    }
    const EnvParts& env = out->setup_.parts.training;
    const auto lanes = static_cast<std::uint32_t>(std::max<std::int64_t>(request.lanes, 1));
    Result<std::unique_ptr<FrameSource>> made = source_of(env, lanes, out->setup_.host->pool);
    if (!is_done(made, problems)) {
        return nullptr;
    }
    out->source_ = std::move(*made);
    return out;
}

Status DriveEnv::reset(std::optional<std::uint64_t> seed) {
    begun_ = true;
    const std::uint32_t lanes = source_->lanes().count();
    return source_->reset(seed ? lane_seeds(make_key(*seed, "env"), lanes).data() : nullptr);
}

Status DriveEnv::step() {
    if (!begun_) {
        return input_problem("an env must be reset before its first step");
    }
    const Result<std::uint32_t> stepped = source_->step({.counter = steps_++});
    Problems warnings = source_->lanes().take_warnings();
    if (!stepped) {
        return stepped.error();
    }
    return warnings.empty() ? Status() : Status(std::move(warnings.front()));
}

}  // namespace tenon
