// SPDX-License-Identifier: Apache-2.0
#include "train/weights.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "checkpoint/store.hpp"

namespace tenon {
namespace {

Slab& slab_of(Network& network, WeightSlab which) {
    switch (which) {
        case WeightSlab::kTarget:
            return network.target;
        case WeightSlab::kMoment1:
            return network.moment1;
        case WeightSlab::kMoment2:
            return network.moment2;
        default:
            return network.live;
    }
}

std::vector<std::int64_t> shape_of(const NetworkLayout& layout, const Parameter& parameter) {
    std::vector<std::int64_t> shape;
    if (layout.ensemble) {
        shape.push_back(layout.members);
    }
    shape.insert(shape.end(), parameter.shape.begin(), parameter.shape.end());
    return shape;
}

bool moments_only(WeightSlab which) {
    return which == WeightSlab::kMoment1 || which == WeightSlab::kMoment2;
}

// f(name, shape, address) for every parameter that the slab holds.
template <class F>
void each_tensor(Network& network, DType real, WeightSlab which, F f) {
    const Slab& slab = slab_of(network, which);
    if (slab.empty()) {
        return;
    }
    for (const Parameter& parameter : network.layout.parameters) {
        if (parameter.trainable || !moments_only(which)) {
            f(network.layout.role + "/" + parameter.name, shape_of(network.layout, parameter),
              slab.as<std::byte>() + parameter.offset * size_of(real));
        }
    }
}

Status read_network(const SafetensorsFile& file, Network& network, DType real, WeightSlab which) {
    Status out;
    each_tensor(network, real, which,
                [&](const std::string& name, const std::vector<std::int64_t>& shape, std::byte* data) {
                    if (out) {
                        out = file.read(name, static_cast<std::int32_t>(real), shape, data);
                    }
                });
    return out;
}

}  // namespace

Status write_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab) {
    std::vector<StoredTensor> tensors;
    for (Network& network : learner.networks) {
        each_tensor(
            network, learner.real, slab, [&](std::string name, std::vector<std::int64_t> shape, const std::byte* data) {
                tensors.push_back({std::move(name), static_cast<std::int32_t>(learner.real), std::move(shape), data});
            });
    }
    return write_safetensors(file, tensors);
}

Status read_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab) {
    Result<SafetensorsFile> opened = SafetensorsFile::open(file);
    if (!opened) {
        return std::move(opened).error();
    }
    for (Network& network : learner.networks) {
        if (Status read = read_network(*opened, network, learner.real, slab); !read) {
            return read;
        }
    }
    return {};
}

Status read_weights(Network& network, DType real, const std::filesystem::path& source) {
    std::filesystem::path file = source;
    if (std::filesystem::is_directory(source)) {
        Result<Checkpoint> newest = find_checkpoint(source / "checkpoints", "last");
        if (!newest) {
            return std::move(newest).error();
        }
        file = newest->folder / "parameters.safetensors";
    }
    Result<SafetensorsFile> opened = SafetensorsFile::open(file);
    if (!opened) {
        return std::move(opened).error();
    }
    Status read = read_network(*opened, network, real, WeightSlab::kLive);
    copy_to_target(network);
    return read;
}

void copy_to_target(Network& network) {
    if (!network.target.empty()) {
        std::memcpy(network.target.data(), network.live.data(), network.target.size());
    }
}

}  // namespace tenon
