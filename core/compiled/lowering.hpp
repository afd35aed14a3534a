// SPDX-License-Identifier: Apache-2.0
// From the nodes of a graph to operations on memory, for one set of sizes. What only arranges elements in another way
// becomes another view of the same memory, and what is repeated is computed once: a stride of 0 goes through everything
// that works row by row.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "compiled/ir.hpp"
#include "error/result.hpp"
#include "exec/program.hpp"

namespace tenon::compiled {

// What a listing is made for.
struct Target {
    const graph::Graph& graph;
    const Learner& learner;
    std::span<const PortSpec> inputs;
    std::uint64_t seed = 0;
    Sizes sizes;
    const std::vector<bool>& needed;  // by node
    bool varies = false;              // what follows from the number of rows is left as that (varying_sizes.hpp)
    Sizes largest = sizes;            // that its memory serves
};

class Lowering {
public:
    explicit Lowering(const Target& target);

    // In the order of nodes; every input has been added before. The problem is an op, or a use of it, that has no
    // kernel here.
    Status add(graph::NodeId node, std::uint32_t phase);

    // A parameter that is read from a copy, because it changes meanwhile; before the node is added. The copy's view.
    View add_copy(graph::NodeId node);

    // A value that comes of another one's rows (rows_ahead.hpp), in place of its node.
    void add_ahead(graph::ValueId next, graph::ValueId now, std::shared_ptr<RowsAhead> ahead, std::uint32_t phase);

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
    using Rule = bool (Lowering::*)(const At& at);
    class Scan;

    // Each false where it cannot be done.
    bool column(const At& at);
    bool leaf(const At& at);
    bool number(const At& at);
    bool random(const At& at);
    bool elementwise(const At& at);
    bool cast(const At& at);
    bool same(const At& at);
    bool spread(const At& at);
    bool expand_like(const At& at);
    bool sum_like(const At& at);
    bool repeats(const At& at);
    bool reduce(const At& at);
    bool softmax(const At& at);
    bool batch(const At& at);
    bool members(const At& at);
    bool least_members(const At& at);
    bool count(const At& at);
    bool stack(const At& at);
    bool pick(const At& at);
    bool collect(const At& at);
    bool uncollect(const At& at);
    bool gather(const At& at);
    bool argsort(const At& at);
    bool take_along(const At& at);
    bool put_along(const At& at);
    bool one_hot(const At& at);
    bool concat(const At& at);
    bool slice(const At& at);
    bool pad(const At& at);
    bool place(const At& at);
    bool squeeze(const At& at);
    bool transpose(const At& at);
    bool reshape(const At& at);
    bool linear(const At& at);
    bool linear_weight(const At& at);
    bool scan_linear(const At& at);
    bool shift_time(const At& at);
    bool patches(const At& at);
    bool unpatch(const At& at);
    bool composite(const At& at);
    bool fused(const At& at);
    bool fused_gradient(const At& at);
    bool scan(const At& at);
    bool steps_of(const At& at);

    static Rule rule_of(std::string_view op);

    [[nodiscard]] const graph::Type& type_of(const At& at, std::size_t input) const {
        return target_.graph.type(at.node.inputs[input]);
    }
    [[nodiscard]] const View& in(const At& at, std::size_t input) const { return views_[at.node.inputs[input]]; }
    // As real numbers, whatever its kind.
    View real(const At& at, std::size_t input);
    void give(const At& at, View view) { views_[at.node.first_output] = std::move(view); }

    std::uint32_t add_buffer(Buffer buffer);
    View fresh(Kind kind, std::vector<std::int64_t> shape);
    // A column as the call hands it over, in the program's own dtype.
    View port(std::ptrdiff_t number, const graph::Type& type);
    View one_constant(Kind kind, std::vector<std::byte> value);
    View constant(double value);
    View whole_constant(std::int64_t value);
    View count_constant(double elements);
    View counting(std::int64_t n);  // 0, 1, .. n - 1
    void emit(Op op);

    // The result of an elementwise operation; inputs are views of one shape, and what all of them repeat is not
    // computed again.
    View map(Code code, Kind kind, std::vector<View> in, Kind result);
    View convert(View view, Kind from, Kind to);
    // Into memory that exists.
    void copy(const View& from, View to, Kind kind);
    View dense(const View& view, Kind kind);
    // The first `leading` dimensions as one, what they repeat left out.
    View under_one(View x, std::size_t leading);

    // Along those dimensions, which are of size 1 afterwards.
    View reduced(Code code, const View& x, const std::vector<std::size_t>& along);
    // The operation's results, as they follow each other in one piece of memory.
    void call_kernel(const At& at, Op op, const std::vector<graph::Type>& types);
    [[nodiscard]] FusedShapes fused_shapes(const At& at, graph::ValueId first_output) const;
    // Elements in whole lines of the cache, for results that lie one after the other: as many for all sizes that the
    // memory serves, so that each stays where it is.
    [[nodiscard]] std::int64_t room_for(const graph::Type& type) const;
    View product(const View& a, const View& b, const View* bias);

    // A value of one type as another that it lines up with.
    [[nodiscard]] View aligned(const View& view, const graph::Type& from, const graph::Type& to) const;

    const Target target_;
    Listing out_;
    std::vector<View> views_;  // by value; buffer 0: none
    std::uint32_t phase_ = 0;
    Status inner_;  // what is wrong inside of a scan
};

// Dimension `at` dropped, inserted with a stride of 0, or moved.
View dropped(View view, std::size_t at);
View inserted(View view, std::size_t at, std::int64_t size);
View moved(View view, std::size_t from, std::size_t to);
// Along a dimension only `length` from `start` on.
View narrowed(View view, std::size_t at, std::int64_t start, std::int64_t length);
// As large as that shape; where it is larger the view is of size 1.
View stretched(View view, std::span<const std::int64_t> shape);

std::size_t position_of(const graph::Type& type, graph::Dim dim);

}  // namespace tenon::compiled
