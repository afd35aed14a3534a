// SPDX-License-Identifier: Apache-2.0
#include "peer_rig.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "support/catch.hpp"

namespace tenon::test {
namespace {

std::vector<double> read(const Slab& slab, const Parameter& parameter, DType real) {
    std::vector<double> out(parameter.size);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = real == DType::kF64 ? slab.as<double>()[parameter.offset + i]
                                     : static_cast<double>(slab.as<float>()[parameter.offset + i]);
    }
    return out;
}

void write(const Slab& slab, const Parameter& parameter, DType real, const std::vector<double>& values) {
    REQUIRE(values.size() == parameter.size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (real == DType::kF64) {
            slab.as<double>()[parameter.offset + i] = values[i];
        } else {
            slab.as<float>()[parameter.offset + i] = static_cast<float>(values[i]);
        }
    }
}

}  // namespace

std::vector<std::string> peer_files() {
    std::vector<std::string> out;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(TENON_GOLDEN_DIR) / "objectives")) {
        out.push_back(entry.path().filename().string());
    }
    std::ranges::sort(out);
    return out;
}

Plan plan_in(const PeerCase& golden, DType real) {
    Plan plan = golden.plan;
    plan.real = real;
    for (graph::Column& column : plan.columns) {
        column.spec.dtype = is_float(column.spec.dtype) ? real : column.spec.dtype;
    }
    return plan;
}

void set_parameters(Assembly& assembly, const PeerCase& golden, DType real) {
    for (Network& network : assembly.learner.networks) {
        for (const Parameter& parameter : network.layout.parameters) {
            const std::string name = network.layout.role + " " + parameter.name;
            CAPTURE(golden.name, name);
            const auto set = [&](const Slab& slab, const std::vector<PeerTensor>& tensors) {
                const auto found = std::ranges::find(tensors, name, &PeerTensor::name);
                REQUIRE(found != tensors.end());
                write(slab, parameter, real, found->values);
            };
            set(network.live, golden.live);
            if (!network.target.empty()) {
                set(network.target, golden.target);
            }
            if (!network.reference.empty()) {
                set(network.reference, golden.reference);
            }
        }
    }
}

FilledBatch batch_of(const Assembly& assembly, const PeerCase& golden) {
    FilledBatch batch(assembly.columns(), golden.sizes, 1);
    std::set<std::string> given;
    for (const PeerTensor& column : golden.batch) {
        batch.set(column.name, column.values);
        given.insert(column.name);
    }
    REQUIRE(given.size() == assembly.columns().size());
    return batch;
}

void feed(Assembly& assembly, const PeerCase& golden) {
    for (const PeerTensor& draw : golden.draws) {
        assembly.draws[draw.name] = draw.values;
    }
    for (const graph::Node& node : assembly.update.graph.nodes) {
        const graph::AttributeValue* stream = graph::find_attribute(node, "stream");
        if (stream != nullptr) {
            CAPTURE(golden.name, std::get<std::string>(*stream));
            CHECK(assembly.draws.contains(std::get<std::string>(*stream)));
        }
    }
}

std::vector<PeerTensor> gradients(const Assembly& assembly, const Outcome& outcome, DType real) {
    std::vector<PeerTensor> out;
    for (std::size_t stage = 0; stage < assembly.stages.size(); ++stage) {
        for (const std::uint32_t owned : assembly.stages[stage].owned) {
            const Network& network = assembly.learner.networks[owned];
            for (const Parameter& parameter : network.layout.parameters) {
                if (parameter.trainable && !std::isnan(outcome.norms[stage])) {
                    out.push_back(
                        {assembly.update.graph.stages[stage].name + " " + network.layout.role + " " + parameter.name,
                         read(network.gradient, parameter, real)});
                }
            }
        }
    }
    return out;
}

std::vector<PeerTensor> targets(const Assembly& assembly, DType real) {
    std::vector<PeerTensor> out;
    for (const Network& network : assembly.learner.networks) {
        for (const Parameter& parameter : network.layout.parameters) {
            if (!network.target.empty()) {
                out.push_back({network.layout.role + " " + parameter.name, read(network.target, parameter, real)});
            }
        }
    }
    return out;
}

std::vector<PeerTensor> states(const Assembly& assembly, DType real) {
    std::vector<PeerTensor> out;
    for (const Network& network : assembly.learner.networks) {
        for (const Parameter& parameter : network.layout.parameters) {
            if (!parameter.trainable) {
                out.push_back({network.layout.role + " " + parameter.name, read(network.live, parameter, real)});
            }
        }
    }
    return out;
}

}  // namespace tenon::test
