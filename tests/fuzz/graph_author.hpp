// SPDX-License-Identifier: Apache-2.0
// A plugin that calls the graph builder as bytes say: with nodes that may be valid, and with invalid structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "compute/graph/op.hpp"
#include "fuzz/graph_script.hpp"
#include "tenon/abi/graph.h"

namespace tenon::fuzz {

inline constexpr std::uint32_t kMostReadable = 1U << 16U;  // elements of an array that the builder reads

// How many calls of the builder all functions of one input may make in total.
struct Budget {
    std::size_t calls = 4096;
};

// One call of a build function.
class Author {
public:
    Author(Script& script, Budget& budget, const tn_build_args& args);

    void write();

private:
    void call();
    // Usually one that was made.
    tn_value value();
    const graph::OpDef& op();
    [[nodiscard]] std::uint32_t found(const char* name, std::uint32_t revision) const;
    tn_str text(std::string_view name);
    // Usually of the type that the op wants.
    tn_attribute attribute(const graph::AttributeDef& def);
    void give(const tn_attribute& attribute);
    void give_text(const char* key, std::string_view value);
    void give_number(const char* key, std::int64_t value);
    void begin_node();
    tn_node node(std::uint32_t op);
    void emit(std::uint32_t op, std::uint32_t results);
    void add(const graph::OpDef& op);
    void read_column();
    void read_network();
    void remember();
    void begin_region();
    void end_region();
    // graph_hostile.cpp
    void add_hostile();
    void ask();

    Script& script_;
    Budget& budget_;
    const tn_build_args& args_;
    std::vector<tn_value> values_;
    tn_source source_{"author.c", "build", 1, 1};
    std::uint32_t line_ = 0;

    // The parts of the current node.
    std::vector<tn_value> inputs_;
    std::vector<const tn_attribute*> attributes_;
    std::deque<tn_attribute> kept_;
    std::deque<std::string> texts_;
    std::deque<std::vector<std::int64_t>> numbers_;
    std::deque<std::vector<tn_str>> lists_;
};

}  // namespace tenon::fuzz
