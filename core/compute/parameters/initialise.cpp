// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "base/error/listed.hpp"
#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "compute/parameters/network.hpp"
#include "compute/parameters/orthogonal.hpp"

namespace tenon {
namespace {

// Element e uses half a block: words 0 and 1 of block e / 2 if e is even, 2 and 3 if it is odd.
void fill_uniform(tn_key key, double bound, std::vector<double>& values) {
    for (std::size_t e = 0; e < values.size(); ++e) {
        const tn_random_block block = tn_philox(key, e / 2);
        const std::size_t word = e % 2 * 2;
        values[e] = bound * (2 * tn_uniform(block.word[word], block.word[word + 1]) - 1);
    }
}

void multiply(std::vector<double>& values, double factor) {
    for (double& value : values) {
        value *= factor;
    }
}

// As torch.nn.init.orthogonal_: dimensions after the first are flattened; the shorter side is orthonormal, times the
// gain.
void fill_orthogonal(tn_key key, const Parameter& parameter, std::vector<double>& values) {
    const auto rows = static_cast<std::size_t>(parameter.shape[0]);
    const std::size_t columns = values.size() / rows;
    fill_normal(key, 0, values.data(), values.size());
    if (rows <= columns) {
        orthonormalise(values, rows, columns);
    } else {
        std::vector<double> transposed(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            transposed[i % columns * rows + i / columns] = values[i];
        }
        orthonormalise(transposed, columns, rows);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = transposed[i % columns * rows + i / columns];
        }
    }
    multiply(values, parameter.scale);
}

void fill(tn_key key, const Parameter& parameter, std::vector<double>& values) {
    if (parameter.init == "constant") {
        std::fill(values.begin(), values.end(), parameter.scale);
    } else if (parameter.init == "uniform") {
        fill_uniform(key, parameter.scale, values);
    } else if (parameter.init == "normal") {
        fill_normal(key, 0, values.data(), values.size());
        multiply(values, parameter.scale);
    } else if (parameter.init == "orthogonal") {
        fill_orthogonal(key, parameter, values);
    }
}

void fill_members(const NetworkLayout& layout, const Parameter& parameter, std::uint64_t seed, DType real,
                  const Slab& slab) {
    const auto members = static_cast<std::size_t>(layout.members);
    std::vector<double> values(parameter.size / members);
    for (std::size_t member = 0; member < members; ++member) {
        const std::string drawer = "network." + layout.role + "/init/" + parameter.name + "/" + std::to_string(member);
        fill(make_key(seed, drawer), parameter, values);
        const std::size_t at = parameter.offset + member * values.size();
        if (real == DType::kF64) {
            std::copy(values.begin(), values.end(), slab.as<double>() + at);
        } else {
            std::transform(values.begin(), values.end(), slab.as<float>() + at,
                           [](double value) { return static_cast<float>(value); });
        }
    }
}

Status make_copy(const Network& network, Slab& out) {
    out = TENON_TRY(make_slab(network.layout, network.live.size()));
    std::memcpy(out.data(), network.live.data(), out.size());
    return {};
}

}  // namespace

Result<Slab> make_slab(const NetworkLayout& layout, std::size_t bytes) {
    Result<Slab> slab = Slab::make(bytes);
    if (!slab) {
        Problem& why = slab.error();
        why.sentence = "network '" + layout.role + "' of " + counted(layout.size, "parameter") + ": " + why.sentence;
        why.help = "make the network smaller or free memory";
    }
    return slab;
}

Status initialise(Network& network, DType real, std::uint64_t seed, bool wants_target) {
    const NetworkLayout& layout = network.layout;
    const std::size_t trainable = layout.trainable_size * size_of(real);
    const std::size_t all = layout.size * size_of(real);
    struct Wanted {
        Slab& slab;
        std::size_t bytes;
    };
    for (const Wanted& wanted : {Wanted{network.live, all}, Wanted{network.target, wants_target ? all : 0},
                                 Wanted{network.gradient, trainable}}) {
        wanted.slab = TENON_TRY(make_slab(layout, wanted.bytes));
    }
    for (const Parameter& parameter : layout.parameters) {
        // A new slab already holds zeros.
        if (parameter.init != "zeros") {
            fill_members(layout, parameter, seed, real, network.live);
        }
    }
    copy_live(network);
    network.steps = 0;
    network.since_target = 0;
    network.since_reference = 0;
    return {};
}

Status add_copy(Network& network, ParameterSlab which) {
    return make_copy(network, slab_of(network, which));
}

Status add_behaviour(Network& network, std::int64_t rounds) {
    TENON_TRY(add_copy(network, ParameterSlab::kBehaviour));
    network.waiting.resize(static_cast<std::size_t>(rounds));
    for (Slab& slab : network.waiting) {
        TENON_TRY(make_copy(network, slab));
    }
    return {};
}

void copy_live(Network& network) {
    const auto copy = [&](Slab& slab) {
        if (!slab.empty()) {
            std::memcpy(slab.data(), network.live.data(), slab.size());
        }
    };
    for (Slab* const slab : {&network.target, &network.reference, &network.behaviour, &network.perturbed}) {
        copy(*slab);
    }
    std::ranges::for_each(network.waiting, copy);
}

}  // namespace tenon
