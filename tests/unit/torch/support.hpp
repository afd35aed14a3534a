// SPDX-License-Identifier: Apache-2.0
// Graphs written by hand, and the executor that runs them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compute/exec/reference_module.hpp"
#include "compute/graph/rules.hpp"

extern "C" tenon::Executor* tenon_torch_executor(tenon::DType real, tenon::PrintLine print,
                                                 const std::shared_ptr<tenon::Device>& device);

namespace tenon::test {

using graph::Dim;
using graph::Kind;
using graph::Type;
using graph::ValueId;

inline constexpr Dim kMembers = graph::kFirstDerived;  // of the role "ensemble", the first that a test graph names

// A graph under construction: types of ordinary nodes come from the rules.
struct Sketch {
    graph::Graph graph;
    std::uint32_t region = 0;

    explicit Sketch(std::int64_t members = 0);  // of the role "ensemble"; 0: as the learner says
    ValueId add(std::string_view op, std::vector<ValueId> inputs, std::vector<graph::Attribute> attributes = {},
                std::uint32_t revision = 1);
    ValueId special(std::string_view op, std::vector<graph::Attribute> attributes, Type type,
                    std::vector<ValueId> inputs = {}, std::uint32_t revision = 1);
    ValueId column(const std::string& key, Type type) { return special("column", {{"key", key}}, std::move(type)); }
    ValueId constant(double value) { return special("constant", {{"value", value}}, Type{}); }
    ValueId parameter(const std::string& role, const std::string& name, Type type, const std::string& slab = "live",
                      const std::string& version = "");
    // The source line of the node added last.
    void at_line(std::uint32_t line, const std::string& component = "test/component");
    std::uint32_t stage(const std::string& name, std::vector<std::string> owns);
    void loss(const std::string& name, std::uint32_t stage, ValueId value) {
        graph.losses.push_back({name, stage, value});
    }
    void write(const std::string& name, ValueId value) { graph.writes.push_back({name, value}); }
};

// A network of plain parameters with the values given.
struct Given {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<double> values;
    bool trainable = true;
};
void add_network(Learner& learner, const std::string& role, const std::vector<Given>& parameters, bool target = false,
                 std::int64_t members = 1, bool ensemble = false);

std::vector<double> read(const Learner& learner, const Network& network, const Slab& slab, const std::string& name);
void write(const Learner& learner, Network& network, const std::string& name, const std::vector<double>& values);

std::unique_ptr<Executor> executor(DType real, PrintLine print = nullptr);

// Storage for one column, filled from doubles.
struct Memory {
    Port port;
    std::vector<double> f64;
    std::vector<float> f32;
    std::vector<std::int64_t> i64;
    std::vector<std::uint8_t> u8;
    [[nodiscard]] const void* data() const;
    [[nodiscard]] void* data();
    [[nodiscard]] std::vector<double> values() const;
};
Memory memory(const std::string& key, DType dtype, const std::vector<std::int64_t>& row,
              const std::vector<double>& values);

// An Adam plan whose options are live values 0 .. 4: lr, beta1, beta2, eps, weight_decay.
StagePlan plan_of(std::vector<std::uint32_t> owned, std::int64_t every = 1, double clip_norm = 0);

}  // namespace tenon::test
