// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/shards.hpp"

namespace tenon {
namespace {

// Calls f with the path of each size that shards divide, and with the number.
template <class M, class F>
void each_shared_size(M& manifest, F f) {
    const auto optional = [&](const std::string& path, auto& size) {
        if (size) {
            f(path, *size);
        }
    };
    f("env.lanes", manifest.env.lanes);
    f("train.batch", manifest.train.batch);
    optional("train.episodes", manifest.train.episodes);
    f("train.minibatch", manifest.train.minibatch);
    for (auto& objective : manifest.objectives) {
        optional(objective.component.path + ".minibatch", objective.minibatch);
    }
    for (auto& buffer : manifest.buffers) {
        f(buffer.component.path + ".capacity", buffer.capacity.frames);
    }
}

}  // namespace

void check_shards(const Manifest& manifest, Problems& problems) {
    const std::int64_t shards = shard_count(manifest);
    each_shared_size(manifest, [&](const std::string& path, std::int64_t size) {
        if (size % shards != 0 && !manifest.refused.contains(path)) {
            problems.push_back(input_problem(path + " is " + std::to_string(size) + ", which " +
                                                 std::to_string(shards) +
                                                 " shards cannot share evenly; make it a multiple of run.shards",
                                             place_of(manifest, manifest.given.contains(path) ? path : "run.shards")));
        }
    });
}

void take_shard(Manifest& manifest, std::int64_t shard) {
    const std::int64_t shards = shard_count(manifest);
    each_shared_size(manifest, [&](const std::string&, std::int64_t& size) { size /= shards; });
    manifest.run.shard = shard;
}

Manifest whole_run(Manifest manifest) {
    const std::int64_t shards = sharers(manifest);
    each_shared_size(manifest, [&](const std::string&, std::int64_t& size) { size *= shards; });
    manifest.run.shard.reset();
    return manifest;
}

std::string stream_of_shard(const Manifest& manifest, std::string_view name) {
    const std::int64_t shard = shard_of(manifest);
    return std::string(name) + (shard == 0 ? "" : "/shard/" + std::to_string(shard));
}

}  // namespace tenon
