// SPDX-License-Identifier: Apache-2.0
#include "run/by_hand.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "env/seeds.hpp"
#include "manifest/manifest.hpp"
#include "random/key.hpp"
#include "replay/storage.hpp"
#include "run/env_document.hpp"
#include "run/setup.hpp"
#include "train/env_lanes.hpp"
#include "train/units.hpp"

namespace tenon {
namespace {

std::string env_of(const std::string& source) {
    const std::filesystem::path lock = std::filesystem::path(source) / "manifest.lock.toml";
    std::error_code code;
    return std::filesystem::is_regular_file(lock, code) ? lock.string() : source;
}

Result<std::optional<Score>> play(Lanes& lanes, const HandRequest& request, const Hand& hand, const Notice& notice) {
    Result<Controls> controls = Controls::make(lanes.specs(), lanes.name());
    if (!controls) {
        return std::move(controls).error();
    }
    const Result<Lanes::Pictures> pictures = lanes.pictures();
    if (!pictures) {
        return pictures.error();
    }
    Result<Storage> storage = Storage::make(storage_columns(lanes.specs()), 2, lanes.count());
    if (!storage) {
        return std::move(storage).error();
    }
    Status done = lanes.bind(*storage);
    const auto seed = static_cast<std::uint64_t>(request.seed);
    if (done) {
        done = lanes.reset(nullptr, lane_seeds(make_key(seed, "eval/env"), lanes.count()).data());
    }
    std::vector<std::uint8_t> pixels(std::size_t{3} * pictures->height * pictures->width);
    std::vector<double> returns;
    std::int64_t steps = 0;
    Episode episode;
    hand.begin(*pictures, *controls);
    while (done && static_cast<std::int64_t>(returns.size()) < request.episodes) {
        done = lanes.draw(0, pixels);
        if (!done || !hand.turn(pixels, *controls, episode)) {
            break;
        }
        if (!controls->is_allowed(*storage)) {
            continue;
        }
        controls->write(*storage);
        const std::uint32_t slot = storage->head();
        done = lanes.step();
        if (Problems warnings = lanes.take_warnings(); done && !warnings.empty()) {
            done = std::move(warnings.front());
        }
        for (const Problem& begun : lanes.take_notices()) {
            notice(render_unlabelled(begun));
        }
        episode = lanes.lost()[0] != 0 ? Episode{} : episode;
        episode.total += lanes.rewards()[0];
        ++episode.length;
        const std::size_t at = std::size_t{slot} * lanes.count();
        if ((storage->terminated()[at] | storage->truncated()[at]) != 0) {
            const Episode ended = std::exchange(episode, {});
            returns.push_back(ended.total);
            steps += ended.length;
        }
    }
    if (!done) {
        return std::move(done).error();
    }
    return returns.empty() ? std::nullopt : std::optional(score_of(returns, steps));
}

}  // namespace

std::optional<Score> play_by_hand(const HandRequest& request, const Hand& hand, const Notice& notice,
                                  Problems& problems) {
    const std::optional<Document> document = env_document(env_of(request.source), 1, request.overrides, problems);
    if (!document) {
        return std::nullopt;
    }
    Manifest manifest = read_env_tables(*document, problems);
    const EnvSetup setup = set_up_env(std::move(manifest), request.plugins, 1, problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    const LiveValues nothing_moves;
    const EnvParts& env = setup.parts.training;
    const std::vector<std::uint32_t> one_each(std::max<std::size_t>(env.tasks.size(), 1), 1);
    Result<Lanes> lanes =
        make_lanes(env, nothing_moves, one_each, static_cast<std::uint64_t>(request.seed), "eval/", setup.host->pool);
    Result<std::optional<Score>> score =
        lanes ? play(*lanes, request, hand, notice) : Result<std::optional<Score>>(std::move(lanes).error());
    if (!score) {
        problems.push_back(std::move(score).error());
        return std::nullopt;
    }
    return *score;
}

}  // namespace tenon
