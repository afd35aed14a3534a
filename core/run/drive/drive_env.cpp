// SPDX-License-Identifier: Apache-2.0
#include "run/drive/drive_env.hpp"

#include <algorithm>
#include <utility>

#include "base/random/key.hpp"
#include "config/manifest/manifest.hpp"
#include "experience/env/seeds.hpp"
#include "run/start/env_document.hpp"
#include "train/plan/env_lanes.hpp"

namespace tenon {
namespace {

Result<Collector> collector_of(Result<Lanes> lanes) {
    if (!lanes) {
        return std::move(lanes).error();
    }
    Result<Storage> storage = Storage::make(storage_columns(lanes->specs()), 2, lanes->count());
    return storage ? Collector::make(std::move(*lanes), std::move(*storage)) : std::move(storage).error();
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
    Result<Collector> made =
        collector_of(make_lanes(env, {}, training_lanes(env, lanes), 0, "", out->setup_.host->pool));
    if (!made) {
        problems.push_back(std::move(made).error());
        return nullptr;
    }
    out->collector_.emplace(std::move(*made));
    return out;
}

Status DriveEnv::reset(std::optional<std::uint64_t> seed) {
    begun_ = true;
    const std::uint32_t lanes = collector_->lanes().count();
    return collector_->reset(seed ? lane_seeds(make_key(*seed, "env"), lanes).data() : nullptr);
}

Status DriveEnv::step() {
    if (!begun_) {
        return input_problem("an env must be reset before its first step");
    }
    Status stepped = collector_->step({}, steps_++);
    Problems warnings = collector_->lanes().take_warnings();
    return stepped && !warnings.empty() ? Status(std::move(warnings.front())) : stepped;
}

}  // namespace tenon
