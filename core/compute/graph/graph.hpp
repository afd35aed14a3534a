// SPDX-License-Identifier: Apache-2.0
// A graph: interned nodes in the order they were added (which is an order of evaluation), and what the program is for:
// losses, metrics, columns to write, stages. Plain data for the passes and executors; Builder makes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compute/graph/fused.hpp"
#include "compute/graph/op.hpp"
#include "compute/graph/type.hpp"

namespace tenon::graph {

using ValueId = std::uint32_t;  // index into Graph::values; 0 is the poisoned value
using NodeId = std::uint32_t;

using AttributeValue =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<std::string>>;

struct Attribute {
    std::string key;
    AttributeValue value;
    bool operator==(const Attribute&) const = default;
};

// Where a plugin's author wrote something, and which manifest table brought the plugin in.
struct Source {
    std::string file;
    std::string function;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string component;  // "dqn/dqn"
};

struct Node {
    const OpDef* op = nullptr;
    std::vector<ValueId> inputs;
    std::vector<Attribute> attributes;  // sorted by key, defaults filled in
    ValueId first_output = 0;
    std::uint32_t output_count = 0;
    std::uint32_t region = 0;  // the innermost region it depends on; 0: none
    std::uint32_t source = 0;

    [[nodiscard]] bool is(OpId id) const { return op != nullptr && op->id == id; }
    [[nodiscard]] bool is_any(const OpSet& ops) const { return op != nullptr && ops.has(op->id); }
};

struct ValueInfo {
    Type type;
    NodeId node = 0;
    std::uint32_t output = 0;
};

// The body of a scan, composite or fused node. `inputs` are the values inside that stand for the region node's inputs;
// `results` are the values that the body yields. A scan is one node of op "scan", whose attribute `region` is the
// number of its region. The body's nodes carry that number in Node::region, and run once per step (of time, or of a
// dimension that the scan makes) when the scan node is reached. The body of a composite runs in place. The body of a
// fused node only says what it computes; no program runs it.
struct Region {
    std::uint32_t parent = 0;
    bool scan = false;
    bool backward = false;  // a scan that begins at the last step
    Dim steps = kTime;      // of a scan: the dimension that it runs along
    bool fused = false;
    std::string name;  // of a composite or fused node
    std::int64_t revision = 1;
    std::int64_t carries = 0;  // of a scan
    std::int64_t reset = -1;   // of a scan: number of the input that resets, or -1
    std::int64_t ends = -1;    // of a scan: the carry that says which rows are done, or -1; what the body does for
                               // them is already masked
    bool until = false;        // of an open scan: its last result says which rows are done
    double fill = 0;           // of a scan with rows that end: the results of those that are done
    std::size_t kernel = 0;    // of a fused node: number among Graph::kernels
    std::uint32_t source = 0;  // where it was opened
    NodeId first_node = 0;     // of a scan: no node of its body comes before it
    std::vector<ValueId> arguments;  // outside
    std::vector<ValueId> inputs;     // inside; but for a scan the same as arguments
    std::vector<ValueId> results;    // inside
    std::vector<ValueId> outputs;    // outside; of a composite the same as results
};

struct Loss {
    std::string name;  // "critic.q"
    std::uint32_t stage = 0;
    ValueId value = 0;
    ValueId present = 0;  // the rows and agents over which it is the mean; 0: all
};

struct Named {
    std::string name;
    ValueId value = 0;
};

// A network's memory of a lane from step to step.
struct Memory {
    std::string key;                  // of its column: "actor.hidden", of a group "agents.actor.hidden"
    std::string group;                // of the network; empty if it has none
    std::vector<std::int64_t> shape;  // of its column; for a group, the agents come first
    // Part of a history, which is not computed step by step over sequences: its rows, or how many of them count.
    enum class Of : std::uint8_t { kNetwork, kWindow, kCount } of = Of::kNetwork;
};

struct Stage {
    std::string name;
    std::vector<std::string> owns;  // network roles
    std::int64_t every = 1;
    std::string unit = "update";  // update, batch, frames
    std::uint32_t source = 0;
};

struct Graph {
    Symbols symbols;
    std::vector<Node> nodes{1};  // node 0 makes the poisoned value
    std::vector<ValueInfo> values{1};
    std::vector<Region> regions{1};  // region 0: the program itself
    std::vector<Source> sources{1};
    std::vector<FusedKernel> kernels;  // that fused nodes name

    std::vector<Stage> stages;
    std::vector<Loss> losses;
    std::vector<Named> metrics;
    std::vector<Named> writes;  // columns of the batch, or outputs of an acting program
    std::vector<Named> controls;
    std::vector<Named> state_writes;  // "role/name"
    std::int64_t burn_in = 0;         // steps at the start of sequences whose losses do not count
    std::vector<Memory> memories;     // those that are read; in a program over sequences none, because scans have them
    std::vector<Named> remembered;    // by key, for the next step
    std::vector<Memory> histories;    // whose rows acting writes; the shape is that of the rows before a step
    std::vector<Named> checks;        // name: the message; the value must be true everywhere
    std::vector<Named> prints;        // name: the label

    [[nodiscard]] const Type& type(ValueId value) const { return values[value].type; }
    [[nodiscard]] const Node& node_of(ValueId value) const { return nodes[values[value].node]; }
};

const AttributeValue* find_attribute(const Node& node, std::string_view key);
std::int64_t int_attribute(const Node& node, std::string_view key);
// The size that the op works along, counted from the end (-1); the last one if its revision has no such attribute.
std::int64_t axis_of(const Node& node);
double float_attribute(const Node& node, std::string_view key);
const std::string& string_attribute(const Node& node, std::string_view key);
const std::vector<std::int64_t>& ints_attribute(const Node& node, std::string_view key);

}  // namespace tenon::graph
