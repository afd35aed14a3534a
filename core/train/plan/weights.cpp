// SPDX-License-Identifier: Apache-2.0
#include "train/plan/weights.hpp"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "compute/parameters/device_copies.hpp"
#include "train/checkpoint/safetensors_header.hpp"
#include "train/checkpoint/store.hpp"

namespace tenon {
namespace {

std::vector<std::int64_t> shape_of(const NetworkLayout& layout, const Parameter& parameter) {
    std::vector<std::int64_t> shape;
    if (layout.ensemble) {
        shape.push_back(layout.members);
    }
    shape.insert(shape.end(), parameter.shape.begin(), parameter.shape.end());
    return shape;
}

// Calls f(name, shape, address) for every parameter of the slab; `suffix` is appended to each name.
template <class F>
void each_in_slab(Network& network, DType real, const Slab& slab, const std::string& suffix, F f) {
    for (const Parameter& parameter : network.layout.parameters) {
        if ((parameter.offset + parameter.size) * size_of(real) <= slab.size()) {
            f(network.layout.role + "/" + parameter.name + suffix, shape_of(network.layout, parameter),
              slab.as<std::byte>() + parameter.offset * size_of(real));
        }
    }
}

ParameterSlab version_of(WeightSlab which) {
    return which == WeightSlab::kTarget      ? ParameterSlab::kTarget
           : which == WeightSlab::kReference ? ParameterSlab::kReference
           : which == WeightSlab::kBehaviour ? ParameterSlab::kBehaviour
                                             : ParameterSlab::kLive;
}

template <class F>
void each_tensor(Network& network, DType real, WeightSlab which, F f) {
    if (which == WeightSlab::kOptimiser) {
        for (const NamedSlab& state : network.optimiser_state) {
            each_in_slab(network, real, state.slab, "/" + state.name, f);
        }
        return;
    }
    each_in_slab(network, real, slab_of(network, version_of(which)), {}, f);
    for (std::size_t i = 0; which == WeightSlab::kBehaviour && i < network.waiting.size(); ++i) {
        each_in_slab(network, real, network.waiting[i], "/" + std::to_string(i), f);
    }
}

std::set<std::string> network_names(const SafetensorsFile& file) {
    std::set<std::string> names;
    for (const StoredTensor& tensor : file.tensors()) {
        names.insert(tensor.name.substr(0, tensor.name.find('/')));
    }
    return names;
}

// "; its networks are: actor, value", if the network is none of them.
std::string networks_of(const SafetensorsFile& file, const std::string& role) {
    const std::set<std::string> names = network_names(file);
    return names.empty() || names.contains(role) ? "" : "; its networks are: " + listed(names);
}

Status read_network(const SafetensorsFile& file, Network& network, DType real, WeightSlab which) {
    Status out;
    each_tensor(network, real, which,
                [&](const std::string& name, const std::vector<std::int64_t>& shape, std::byte* data) {
                    if (out) {
                        out = file.read(name, static_cast<std::int32_t>(real), shape, data);
                    }
                });
    if (!out) {
        out.error().sentence += networks_of(file, network.layout.role);
    }
    return out;
}

// What is wrong with the file's tensor for a parameter, or nothing: "no tensor 'actor/0.weight', the nearest is .."
// `wanted`: the names of all parameters, whose tensors are not taken for misspelt ones.
std::string misfit(const SafetensorsFile& file, const std::string& name, DType real,
                   const std::vector<std::int64_t>& shape, const std::set<std::string>& wanted) {
    const StoredTensor* tensor = file.find(name);
    if (tensor != nullptr) {
        const bool fits = tensor->shape == shape && is_real(*tensor);
        return fits ? ""
                    : "tensor '" + name + "' is " + describe_stored(tensor->dtype, tensor->shape) + ", but " +
                          describe_stored(static_cast<std::int32_t>(real), shape) + " is needed";
    }
    std::vector<std::string_view> names;
    for (const StoredTensor& each : file.tensors()) {
        if (!wanted.contains(each.name)) {
            names.push_back(each.name);
        }
    }
    const std::string_view near = nearest(name, names);
    return "no tensor '" + name + "'" + (near.empty() ? "" : " (the nearest is '" + std::string(near) + "')");
}

void write(const std::vector<double>& from, DType real, std::byte* to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (real == DType::kF32) {
            reinterpret_cast<float*>(to)[i] = static_cast<float>(from[i]);
        } else {
            reinterpret_cast<double*>(to)[i] = from[i];
        }
    }
}

// Reads the parameters of a network, real numbers of any type. The problem lists all that do not fit. The only network
// of a file may have any name: the actor of one run is the teacher of another.
Status read_converted(const SafetensorsFile& file, Network& network, DType real, const std::string& subject,
                      const std::string& wanted_role) {
    const std::size_t own = network.layout.role.size();
    const std::set<std::string> names = network_names(file);
    const std::string stored_role = names.size() == 1 ? *names.begin() : wanted_role;
    std::vector<std::string> misfits;
    std::set<std::string> wanted;
    each_tensor(network, real, WeightSlab::kLive,
                [&](const std::string& name, const std::vector<std::int64_t>& /*shape*/, std::byte* /*data*/) {
                    wanted.insert(stored_role + name.substr(own));
                });
    each_tensor(network, real, WeightSlab::kLive,
                [&](const std::string& own_name, const std::vector<std::int64_t>& shape, std::byte* data) {
                    const std::string name = stored_role + own_name.substr(own);
                    std::string wrong = misfit(file, name, real, shape, wanted);
                    if (wrong.empty()) {
                        write(real_numbers(*file.find(name)), real, data);
                    } else {
                        misfits.push_back(std::move(wrong));
                    }
                });
    if (misfits.empty()) {
        return {};
    }
    const std::string networks = names.size() == 1 ? "" : networks_of(file, wanted_role);
    if (!networks.empty()) {
        return input_problem(subject + " has no tensor '" + wanted_role + "/" + network.layout.parameters.front().name +
                             "'" + networks + "; init_role chooses one of them");
    }
    std::string all;
    for (const std::string& each : misfits) {
        all += (all.empty() ? "" : "; ") + each;
    }
    return input_problem(subject + " does not fit: " + all);
}

}  // namespace

bool has_slab(const Learner& learner, WeightSlab slab) {
    return std::ranges::any_of(learner.networks, [&](const Network& network) {
        return slab == WeightSlab::kOptimiser ? !network.optimiser_state.empty()
                                              : !slab_of(network, version_of(slab)).empty();
    });
}

Status write_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab,
                     const TensorMetadata& metadata) {
    TENON_TRY(fetch_to_host(learner, kAllSlabs));
    std::vector<StoredTensor> tensors;
    for (Network& network : learner.networks) {
        each_tensor(
            network, learner.real, slab, [&](std::string name, std::vector<std::int64_t> shape, const std::byte* data) {
                tensors.push_back({std::move(name), static_cast<std::int32_t>(learner.real), std::move(shape), data});
            });
    }
    return write_safetensors(file, tensors, metadata);
}

Status read_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab) {
    SafetensorsFile opened = TENON_TRY(SafetensorsFile::open(file));
    for (Network& network : learner.networks) {
        TENON_TRY(read_network(opened, network, learner.real, slab));
    }
    changed_on_host(learner);
    return {};
}

Status read_weights(Network& network, DType real, const std::filesystem::path& source, const std::string& stored_role) {
    std::filesystem::path file = source;
    std::error_code ignored;  // opening the file says what is wrong with the name
    if (std::filesystem::is_directory(source, ignored)) {
        Checkpoint newest = TENON_TRY(find_checkpoint(source / "checkpoints", "last"));
        file = newest.folder / "parameters.safetensors";
    }
    SafetensorsFile opened = TENON_TRY(SafetensorsFile::open(file));
    Status read =
        read_converted(opened, network, real, file.string(), stored_role.empty() ? network.layout.role : stored_role);
    copy_live(network);
    return read;
}

}  // namespace tenon
