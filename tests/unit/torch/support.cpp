// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <algorithm>
#include <stdexcept>

namespace tenon::test {
namespace {

void fill_defaults(const graph::OpDef& op, std::vector<graph::Attribute>& attributes) {
    for (const graph::AttributeDef& def : op.attributes) {
        const bool given =
            std::ranges::any_of(attributes, [&](const graph::Attribute& a) { return a.key == def.name; });
        if (!given && def.type == graph::AttributeType::kInt && !def.standard.empty()) {
            attributes.push_back({std::string(def.name), std::stoll(std::string(def.standard))});
        }
    }
    std::ranges::sort(attributes, {}, &graph::Attribute::key);
}

template <class F>
void with_values(const Learner& learner, const Network& network, const Slab& slab, const std::string& name, F f) {
    const Parameter* parameter = network.layout.find(name);
    if (learner.real == DType::kF64) {
        f(slab.as<double>() + parameter->offset, parameter->size);
    } else {
        f(slab.as<float>() + parameter->offset, parameter->size);
    }
}

void must(const Status& status) {
    if (!status) {
        throw std::runtime_error(status.error().sentence);
    }
}

}  // namespace

Sketch::Sketch(std::int64_t members) {
    graph.symbols.members_of("ensemble", members);
}

ValueId Sketch::add(std::string_view op, std::vector<ValueId> inputs, std::vector<graph::Attribute> attributes,
                    std::uint32_t revision) {
    const graph::OpDef* def = graph::find_op(op, revision);
    fill_defaults(*def, attributes);
    std::vector<Type> types;
    for (const ValueId input : inputs) {
        types.push_back(graph.type(input));
    }
    const graph::Node asked{.op = def,
                            .inputs = {},
                            .attributes = attributes,
                            .first_output = 0,
                            .output_count = 0,
                            .region = 0,
                            .source = 0};
    auto outcome = graph::infer(*def, asked, types, graph.symbols);
    if (const auto* misfit = std::get_if<graph::Misfit>(&outcome)) {
        throw std::runtime_error(std::string(op) + ": " + misfit->sentence);
    }
    return special(op, std::move(attributes), std::get<Type>(outcome), std::move(inputs), revision);
}

ValueId Sketch::special(std::string_view op, std::vector<graph::Attribute> attributes, Type type,
                        std::vector<ValueId> inputs, std::uint32_t revision) {
    std::ranges::sort(attributes, {}, &graph::Attribute::key);
    const auto value = static_cast<ValueId>(graph.values.size());
    const auto node = static_cast<graph::NodeId>(graph.nodes.size());
    graph.nodes.push_back({.op = graph::find_op(op, revision),
                           .inputs = std::move(inputs),
                           .attributes = std::move(attributes),
                           .first_output = value,
                           .output_count = 1,
                           .region = region,
                           .source = 0});
    graph.values.push_back({std::move(type), node, 0});
    return value;
}

ValueId Sketch::parameter(const std::string& role, const std::string& name, Type type, const std::string& slab,
                          const std::string& version) {
    return special("parameter", {{"role", role}, {"name", name}, {"slab", slab}, {"version", version}},
                   std::move(type));
}

void Sketch::at_line(std::uint32_t line, const std::string& component) {
    graph.sources.push_back({.file = "author.cpp", .function = "f", .line = line, .column = 5, .component = component});
    graph.nodes.back().source = static_cast<std::uint32_t>(graph.sources.size() - 1);
}

std::uint32_t Sketch::stage(const std::string& name, std::vector<std::string> owns) {
    graph.stages.push_back({.name = name, .owns = std::move(owns), .every = 1, .unit = "update", .source = 0});
    return static_cast<std::uint32_t>(graph.stages.size() - 1);
}

void add_network(Learner& learner, const std::string& role, const std::vector<Given>& parameters, bool target,
                 std::int64_t members, bool ensemble) {
    Network network;
    network.layout.role = role;
    network.layout.members = members;
    network.layout.ensemble = ensemble;
    for (const Given& given : parameters) {
        Parameter parameter;
        parameter.name = given.name;
        parameter.shape = given.shape;
        parameter.init = "zeros";
        parameter.trainable = given.trainable;
        must(declare(network.layout, parameter));
    }
    place(network.layout);
    must(initialise(network, learner.real, 1, target));
    must(begin_optimiser(network, learner.real, {.rule = AdamPlan{}}));
    for (const Given& given : parameters) {
        write(learner, network, given.name, given.values);
    }
    if (target) {
        std::copy_n(network.live.as<std::byte>(), network.live.size(), network.target.as<std::byte>());
    }
    learner.networks.push_back(std::move(network));
}

std::vector<double> read(const Learner& learner, const Network& network, const Slab& slab, const std::string& name) {
    std::vector<double> out;
    with_values(learner, network, slab, name, [&](auto* data, std::size_t size) { out.assign(data, data + size); });
    return out;
}

void write(const Learner& learner, Network& network, const std::string& name, const std::vector<double>& values) {
    with_values(learner, network, network.live, name, [&](auto* data, std::size_t size) {
        if (size != values.size()) {
            throw std::runtime_error("parameter '" + name + "' has another size");
        }
        for (std::size_t i = 0; i < size; ++i) {
            data[i] = static_cast<std::remove_pointer_t<decltype(data)>>(values[i]);
        }
    });
}

std::unique_ptr<Executor> executor(DType real, PrintLine print) {
    return std::unique_ptr<Executor>(tenon_torch_executor(real, print, {}));
}

const void* Memory::data() const {
    switch (port.dtype) {
        case DType::kF64:
            return f64.data();
        case DType::kF32:
            return f32.data();
        case DType::kI64:
            return i64.data();
        default:
            return u8.data();
    }
}

void* Memory::data() {
    return const_cast<void*>(static_cast<const Memory*>(this)->data());
}

std::vector<double> Memory::values() const {
    switch (port.dtype) {
        case DType::kF64:
            return f64;
        case DType::kF32:
            return {f32.begin(), f32.end()};
        case DType::kI64: {
            std::vector<double> out;
            for (const std::int64_t x : i64) {
                out.push_back(static_cast<double>(x));
            }
            return out;
        }
        default:
            return {u8.begin(), u8.end()};
    }
}

Memory memory(const std::string& key, DType dtype, const std::vector<std::int64_t>& row,
              const std::vector<double>& values) {
    Memory out{.port = {key, dtype, Shape(row)}, .f64 = {}, .f32 = {}, .i64 = {}, .u8 = {}};
    for (const double x : values) {
        switch (dtype) {
            case DType::kF64:
                out.f64.push_back(x);
                break;
            case DType::kF32:
                out.f32.push_back(static_cast<float>(x));
                break;
            case DType::kI64:
                out.i64.push_back(static_cast<std::int64_t>(x));
                break;
            default:
                out.u8.push_back(static_cast<std::uint8_t>(x));
                break;
        }
    }
    return out;
}

StagePlan plan_of(std::vector<std::uint32_t> owned, std::int64_t every, double clip_norm) {
    StagePlan plan;
    plan.owned = std::move(owned);
    plan.optimiser = {.rule = AdamPlan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 4},
                      .clip_norm = clip_norm};
    plan.targets.resize(plan.owned.size());
    plan.every = every;
    return plan;
}

}  // namespace tenon::test
