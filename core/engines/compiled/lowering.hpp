// SPDX-License-Identifier: Apache-2.0
// Translates the nodes of a graph to operations on memory, for one set of sizes. A node that only rearranges elements
// becomes a view of the same memory. A broadcast value is computed once: operations that work row by row preserve a
// stride of 0.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "compute/exec/program.hpp"
#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// The sizes and settings that a listing is made for.
struct Target {
    const graph::Graph& graph;
    const Learner& learner;
    std::span<const Port> inputs;
    std::uint64_t seed = 0;
    Sizes sizes;
    const std::vector<bool>& needed;  // by node
    bool varies = false;              // whatever depends on the number of rows remains variable (varying_sizes.hpp)
    Sizes largest = sizes;            // the sizes that its memory must hold
    const std::vector<graph::ValueId>* shown = nullptr;  // values that are read after the run; null: any may be
};

class Lowering {
public:
    explicit Lowering(const Target& target);

    // Call it in the order of nodes, so that every input has been added before. The problem is an op, or a use of it,
    // that has no kernel here.
    Status add(graph::NodeId node, std::uint32_t phase);

    // Adds a copy of a parameter that changes while it is still needed. Call it before the node is added. Returns the
    // copy's view.
    View add_copy(graph::NodeId node);

    // Replaces the node of a value that is computed from another value's rows (next_rows.hpp).
    void add_next_rows(graph::ValueId next, graph::ValueId now, std::shared_ptr<NextRows> next_rows,
                       std::uint32_t phase);

    [[nodiscard]] const View& view(graph::ValueId value) const { return views_[value]; }
    [[nodiscard]] bool has(graph::ValueId value) const { return views_[value].buffer != 0; }
    [[nodiscard]] std::vector<std::int64_t> shape_of(const graph::Type& type) const;
    [[nodiscard]] std::int64_t size_of(graph::Dim dim) const;
    [[nodiscard]] Listing take() { return std::move(out_); }

private:
    struct At {
        const graph::Node& node;
        graph::NodeId id;
        const graph::Type& type;  // of the result
    };
    using Form = bool (Lowering::*)(const At& at);
    class Scan;

    // Each returns false if this use of the op is not supported.
#include "engines/compiled/generated/form_methods.inc"

    static const Form kForms[];  // by OpId
    static const Code kCodes[];  // of elementwise ops; else Code::kElementwise

    [[nodiscard]] const graph::Type& type_of(const At& at, std::size_t input) const {
        return target_.graph.type(at.node.inputs[input]);
    }
    [[nodiscard]] const View& in(const At& at, std::size_t input) const { return views_[at.node.inputs[input]]; }
    // The input converted to real numbers.
    View real(const At& at, std::size_t input);
    // Makes the view the node's result. True: the node has been lowered.
    bool give(const At& at, View view) {
        views_[at.node.first_output] = std::move(view);
        return true;
    }

    std::uint32_t add_buffer(Buffer buffer);
    View fresh(Kind kind, std::vector<std::int64_t> shape);
    // An input column of the call, converted to the program's dtype.
    View port(std::ptrdiff_t number, const graph::Type& type);
    View one_constant(Kind kind, std::vector<std::byte> value);
    View constant(double value);
    View whole_constant(std::int64_t value);
    View count_constant(double elements);
    View counting(std::int64_t n);  // 0, 1, .. n - 1
    void emit(Op op);

    // Adds an elementwise operation and returns its result. The inputs are views of one shape; dimensions that all of
    // them broadcast are not computed again.
    View map(Code code, Kind kind, std::vector<View> in, Kind result);
    View convert(View view, Kind from, Kind to);
    // Copies to existing memory.
    void copy(const View& from, View to, Kind kind);
    View dense(const View& view, Kind kind);
    // Flattens the first `leading` dimensions into one and omits broadcast ones.
    View under_one(View x, std::size_t leading);

    // Reduces those dimensions; they have size 1 afterwards.
    View reduced(Code code, const View& x, const std::vector<std::size_t>& along);
    // Calls a kernel; its results are contiguous in one buffer.
    void call_kernel(const At& at, Op op, const std::vector<graph::Type>& types);
    [[nodiscard]] FusedShapes fused_shapes(const At& at, graph::ValueId first_output) const;
    // The elements of a result, rounded up to whole cache lines. It is the same for all sizes that the memory serves,
    // so that results keep their offsets.
    [[nodiscard]] std::int64_t room_for(const graph::Type& type) const;
    // The inputs of an attention as views over its leading dimensions; the first `rows` are queries, keys and the like.
    std::vector<View> attended(const At& at, std::size_t rows);
    // Makes steps the queries of an attention whose keys and values are windows that move over the same rows, so that
    // each row is read once. The first input is a row for each query.
    void join_steps(const At& at, Op& op) const;
    View product(const View& a, const View& b, const View* bias);
    // The view with those dimensions merged into one; copied first where their strides do not allow it.
    View flat_between(const View& view, std::size_t first, std::size_t last, Kind kind = Kind::kReal);
    View one_batch(View view, std::size_t kept);
    View flattened(View view, std::size_t batches);

    // Broadcasts a value of one type to another type.
    [[nodiscard]] View aligned(const View& view, const graph::Type& from, const graph::Type& to) const;

    const Target target_;
    Listing out_;
    std::vector<View> views_;  // by value; buffer 0 means none
    std::uint32_t phase_ = 0;
    Status inner_;  // the first error inside a scan, or about sizes
};

// The view without dimension `at`, with a broadcast dimension (stride 0) inserted there, and with a dimension moved.
View dropped(View view, std::size_t at);
View inserted(View view, std::size_t at, std::int64_t size);
View moved(View view, std::size_t from, std::size_t to);
// Only `length` elements from `start` on, along one dimension.
View narrowed(View view, std::size_t at, std::int64_t start, std::int64_t length);
// Broadcasts dimensions of size 1 to the given shape.
View stretched(View view, std::span<const std::int64_t> shape);

// The dimensions in another order.
View permuted(const View& view, const std::vector<std::size_t>& order);

std::size_t position_of(const graph::Type& type, graph::Dim dim);
// The dimension that a node works along, of a value of that many dimensions.
std::size_t place_of_axis(const graph::Node& node, std::size_t dimensions);

// The type of an input with the result's sizes, except for the axis.
graph::Type with_axis_of(graph::Type result, const graph::Type& input, std::int64_t axis);

}  // namespace tenon::compiled
