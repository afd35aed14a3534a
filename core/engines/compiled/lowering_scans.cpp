// SPDX-License-Identifier: Apache-2.0
// Scans, over time or over a number of steps. The body is lowered separately. The values it reads from the outer graph,
// and its own values that are needed at every step, use memory of the outer tape.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"
#include "engines/compiled/held_carries.hpp"
#include "engines/compiled/listing_passes.hpp"
#include "engines/compiled/lowering.hpp"
#include "engines/compiled/scan_loop.hpp"

namespace tenon::compiled {

using graph::Dim;
using graph::Node;
using graph::NodeId;
using graph::Region;
using graph::Type;
using graph::ValueId;

class Lowering::Scan {
public:
    Scan(Lowering& around, const At& at)
        : around_(around),
          graph_(around.target_.graph),
          number_(static_cast<std::uint32_t>(graph::int_attribute(at.node, "region"))),
          region_(graph_.regions[number_]),
          node_(at.node),
          body_(around.target_),
          loop_(std::make_shared<ScanLoop>()),
          readers_{.graph = graph_, .needed = around.target_.needed, .shown = around.target_.shown} {
        loop_->steps = around.size_of(region_.steps);
        loop_->backward = region_.backward;
        loop_->name = graph::is_derived(region_.steps) ? graph_.symbols.role(region_.steps) : "";
        op_ = {.code = Code::kScan, .kind = Kind::kReal, .in = {}, .out = {}};
    }

    Status lower() {
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            if (around_.target_.needed[id] && is_in_body(id) && graph_.nodes[id].is_any(graph::kScans)) {
                return graph::problem_at(graph_, id, "a scan inside a scan" + whose(id) + " cannot be compiled");
            }
        }
        find_wanted();
        TENON_TRY(check_types());
        hold_carries();
        place_results();
        enter_arguments();
        TENON_TRY(add_body());
        leave();
        return {};
    }

private:
    using What = Passage::What;

    struct Wanted {
        ValueId inside = 0;
        ValueId outside = 0;
        std::int64_t place = 0;    // offset among the results, in elements
        std::int64_t width = 0;    // elements per step
        bool held = false;         // it is written in place, and only its last state is read
        std::uint32_t memory = 0;  // of a held value: its buffer in the body
        std::size_t first = 0;     // of a held real value: the operation before the scan that writes its first state
    };

    [[nodiscard]] bool is_in_body(NodeId id) const {
        return graph::scan_of(graph_, graph_.nodes[id].region) == number_;
    }

    [[nodiscard]] std::string whose(NodeId id) const {
        const std::string& component = graph_.sources[graph_.nodes[id].source].component;
        return component.empty() ? "" : " of " + component;
    }

    // Finds the results of the scan and the values of its steps that other nodes read.
    void find_wanted() {
        for (std::size_t i = 0; i < region_.results.size(); ++i) {
            wanted_.push_back({region_.results[i], node_.first_output + static_cast<ValueId>(i)});
        }
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (node.is(graph::OpId::kStepsOf_1) && around_.target_.needed[id] &&
                graph::int_attribute(node, "region") == static_cast<std::int64_t>(number_)) {
                wanted_.push_back({static_cast<ValueId>(graph::int_attribute(node, "value")), node.first_output});
            }
        }
    }

    [[nodiscard]] Status check_types() const {
        for (const Wanted& each : wanted_) {
            const Type& type = graph_.type(each.inside);
            if (type.has(region_.steps)) {
                const NodeId node = graph_.values[each.inside].node;
                return graph::problem_at(
                    graph_, node,
                    "a scan" + whose(node) + " that returns " + graph_.symbols.text(type) + " cannot be compiled");
            }
        }
        return {};
    }

    void hold_carries() {
        if (wanted_.size() != region_.results.size()) {
            return;  // its gradient reads values of all steps
        }
        const std::vector<HeldCarry> carries = find_held(readers_, node_, loop_->steps);
        for (std::size_t i = 0; i < carries.size(); ++i) {
            wanted_[i].held = carries[i].held;
            wanted_[i].inside = carries[i].result;
            unneeded_.push_back(carries[i].unneeded);
        }
    }

    // How many real numbers have the memory of a result's element; bools are stored as reals.
    [[nodiscard]] std::int64_t reals_of(Kind kind) const {
        const DType real = around_.target_.learner.real;
        return kind == Kind::kInt ? static_cast<std::int64_t>(bytes_of(Kind::kInt, real) / bytes_of(Kind::kReal, real))
                                  : 1;
    }
    [[nodiscard]] static Kind stored(Kind kind) { return kind == Kind::kInt ? Kind::kInt : Kind::kReal; }

    // The results are contiguous, each with all its steps.
    void place_results() {
        std::int64_t size = 0;
        for (Wanted& each : wanted_) {
            each.place = size;
            each.width = dense_view(0, around_.shape_of(graph_.type(each.inside))).count();
            const Type& type = graph_.type(each.inside);
            size += around_.room_for(each.held ? type : over_steps(type)) * reals_of(type.kind);
        }
        op_.out = around_.fresh(Kind::kReal, {size});
    }

    // A buffer of the body whose memory belongs to the outer tape.
    std::uint32_t add_buffer(Kind kind, std::int64_t size, const Passage& passage) {
        const bool moves = passage.what != What::kRead || passage.stride != 0;
        const std::uint32_t buffer = body_.add_buffer(
            {.segment = moves ? Segment::kStep : Segment::kOutside, .kind = kind, .size = size, .values = {}});
        lies(buffer, kind, passage);
        return buffer;
    }

    [[nodiscard]] Type over_steps(const Type& type) const { return graph::over_steps(type, region_.steps); }

    // The value as the body reads it. `time`: the index of the dimension of its steps, of which the body reads the
    // present one.
    View enter(View view, Kind kind, std::ptrdiff_t time = -1) {
        const std::size_t input = op_.in.size();
        op_.in.push_back(view);
        const std::int64_t size = around_.out_.buffers[view.buffer].size;
        std::int64_t stride = 0;
        if (time >= 0) {
            stride = view.strides[static_cast<std::size_t>(time)];
            view = dropped(std::move(view), static_cast<std::size_t>(time));
        }
        view.buffer = add_buffer(kind, size, {.what = What::kRead, .input = input, .stride = stride});
        view.offset = 0;
        return view;
    }

    void enter_arguments() {
        const auto carries = static_cast<std::size_t>(region_.carries);
        for (std::size_t i = carries; i < region_.inputs.size(); ++i) {
            const ValueId outside = region_.arguments[i];
            const Type& type = graph_.type(outside);
            body_.views_[region_.inputs[i]] = enter(around_.views_[outside], type.kind,
                                                    static_cast<std::ptrdiff_t>(position_of(type, region_.steps)));
        }
        for (std::size_t i = 0; i < carries; ++i) {
            body_.views_[region_.inputs[i]] = memory(i);
        }
    }

    // The value of a memory in the present step: zeros if the step resets it.
    View memory(std::size_t number) {
        const Type& type = graph_.type(region_.inputs[number]);
        const Kind kind = stored(type.kind);
        Wanted& result = wanted_[number];
        View first = around_.convert(around_.views_[region_.arguments[number]], type.kind, kind);
        Passage passage{.what = What::kHeld, .place = result.place / reals_of(kind), .stride = result.width};
        if (result.held) {
            hold(std::move(first), kind, result.place);
            result.first = around_.out_.ops.size() - 1;
        } else {
            passage.what = What::kMemory;
            passage.input = op_.in.size();
            op_.in.push_back(around_.dense(first, kind));
        }
        result.memory = add_buffer(kind, result.width, passage);
        View view = dense_view(result.memory, body_.shape_of(type));
        if (region_.reset < 0) {
            return body_.convert(std::move(view), kind, type.kind);
        }
        const ValueId reset = region_.inputs[static_cast<std::size_t>(region_.reset)];
        const Type leading{Kind::kBool, {type.symbols().begin(), type.symbols().end()}};
        View begins = body_.aligned(body_.views_[reset], graph_.type(reset), leading);
        for (std::size_t i = 0; i < type.sizes().size(); ++i) {
            const std::size_t at = begins.shape.size();
            begins = inserted(std::move(begins), at, view.shape[at]);
        }
        const View zero = kind == Kind::kInt ? body_.whole_constant(0) : body_.constant(0);
        View kept =
            body_.map(Code::kWhere, kind, {std::move(begins), stretched(zero, view.shape), std::move(view)}, kind);
        return body_.convert(std::move(kept), kind, type.kind);
    }

    // Writes the first state of a held value among the results.
    void hold(View first, Kind kind, std::int64_t place) {
        View to = dense_view(op_.out.buffer, first.shape);
        to.offset = place;
        if (kind == Kind::kReal) {
            return around_.copy(first, std::move(to), kind);
        }
        first = around_.dense(first, kind);
        to = dense_view(op_.out.buffer, {first.count() * reals_of(kind)});
        to.offset = place;
        around_.emit({.code = Code::kBits, .kind = Kind::kInt, .in = {std::move(first)}, .out = std::move(to)});
    }

    Status add_body() {
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (!is_in_body(id) || !around_.target_.needed[id] || node.is(graph::OpId::kArgument_1) ||
                std::ranges::find(unneeded_, id) != unneeded_.end()) {
                continue;
            }
            if (node.op->random) {
                enter_draws(node, id);
                continue;
            }
            for (const ValueId input : node.inputs) {
                enter_once(input);
            }
            TENON_TRY(body_.add(id, 0));
        }
        for (const Wanted& each : wanted_) {
            enter_once(each.inside);
        }
        return {};
    }

    void enter_once(ValueId value) {
        if (body_.has(value)) {
            return;
        }
        View view = around_.views_[value];
        const Buffer& buffer = around_.out_.buffers[view.buffer];
        if (buffer.segment == Segment::kConstant) {
            view.buffer = body_.add_buffer(buffer);
            body_.views_[value] = std::move(view);
        } else {
            body_.views_[value] = enter(std::move(view), graph_.type(value).kind);
        }
    }

    // Draws for all steps at once.
    void enter_draws(const Node& node, NodeId id) {
        const Type type = over_steps(graph_.type(node.first_output));
        around_.random({node, id, type});
        body_.views_[node.first_output] = enter(around_.views_[node.first_output], Kind::kReal,
                                                static_cast<std::ptrdiff_t>(position_of(type, region_.steps)));
    }

    // Packs keys that all steps of the loop attend to, such as those of a prompt, once before the loop. Otherwise
    // attention packs them in each step.
    void transpose_shared_keys() {
        for (Op& op : body_.out_.ops) {
            constexpr std::size_t kKeys = 1;
            if (op.code != Code::kAttention || !op.attending.in_parts) {
                continue;
            }
            const std::uint32_t buffer = op.in[kKeys].buffer;
            const auto passage = std::ranges::find(loop_->passages, buffer, &Passage::buffer);
            if (passage == loop_->passages.end() || passage->what != What::kRead || passage->stride != 0) {
                continue;
            }
            View from = std::move(op.in[kKeys]);
            from.buffer = op_.in[passage->input].buffer;
            from.offset += op_.in[passage->input].offset;
            const std::size_t rows = from.shape.size() - 2;
            for (std::size_t d = 0; d < rows; ++d) {
                from.shape[d] = from.strides[d] == 0 ? 1 : from.shape[d];
            }
            View to = around_.fresh(Kind::kReal, padded_keys(from.shape));
            std::swap(to.strides[rows], to.strides[rows + 1]);
            to.shape = from.shape;
            around_.copy(from, to, Kind::kReal);
            View inside = enter(std::move(to), Kind::kReal);
            for (std::size_t d = 0; d < rows; ++d) {
                inside.strides[d] = from.strides[d] == 0 ? 0 : inside.strides[d];
                inside.shape[d] = op.in[0].shape[d];
            }
            op.in[kKeys] = std::move(inside);
            op.attending.padded = true;
        }
    }

    // Finishes the body and adds the operation and its results to the outer graph.
    void leave() {
        transpose_shared_keys();
        std::vector<View> given;
        for (const Wanted& each : wanted_) {
            const Kind kind = graph_.type(each.inside).kind;
            given.push_back(body_.convert(body_.views_[each.inside], kind, stored(kind)));
            if (each.held) {
                body_.copy(given.back(), dense_view(each.memory, given.back().shape), stored(kind));
            } else {
                loop_->pinned.push_back(given.back().buffer);
            }
        }
        loop_->body = body_.take();
        fold_constants(loop_->body, around_.target_.learner.real, around_.target_.varies);
        narrow_columns(loop_->body, loop_->pinned);
        attach_tails(loop_->body, around_.target_.learner.real, loop_->pinned);
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            if (!wanted_[i].held) {
                settle(given[i], wanted_[i]);
            }
            if (i == 0 && !wanted_[i].held && graph_.type(wanted_[i].inside).kind != Kind::kInt) {
                loop_->first = std::ssize(loop_->passages) - 1;
            }
            if (static_cast<std::int64_t>(i) == region_.ends && can_end()) {
                loop_->ends = std::ssize(loop_->passages) - 1;
            }
        }
        loop_->pinned.clear();
        reuse_memory(loop_->body, {});
        for (const Wanted& each : wanted_) {
            if (each.held && graph_.type(each.inside).kind == Kind::kReal && !readers_.any(each.outside) &&
                store_transposed(loop_->body, each.memory)) {
                View& first = around_.out_.ops[each.first].out;
                first = transposed(std::move(first));
            }
        }
        keep_sides(loop_->body, around_.target_.learner.real);
        op_.scan = loop_;
        const std::uint32_t buffer = op_.out.buffer;
        around_.emit(std::move(op_));
        for (const Wanted& each : wanted_) {
            if (!each.held || readers_.any(each.outside)) {
                give(each, buffer);
            }
        }
    }

    // Whether the loop may end when all rows are done: the results of later steps then equal those of the first step
    // after it. A carried value that lacks the dimensions of the flags still changes, so nothing outside may read it.
    [[nodiscard]] bool can_end() const {
        const Type& flags = graph_.type(region_.inputs[static_cast<std::size_t>(region_.ends)]);
        for (std::size_t i = 0; i < static_cast<std::size_t>(region_.carries); ++i) {
            const Type& type = graph_.type(region_.inputs[i]);
            const bool has_rows = std::ranges::all_of(flags.symbols(), [&](Dim dim) { return type.has(dim); });
            if (!has_rows && readers_.any(wanted_[i].outside)) {
                return false;
            }
        }
        return wanted_.size() == region_.results.size();
    }

    void give(const Wanted& each, std::uint32_t buffer) {
        const Type inside = graph_.type(each.inside);
        const Type type = over_steps(inside);
        const std::size_t position = position_of(type, region_.steps);
        std::vector<std::int64_t> shape = around_.shape_of(inside);
        if (!each.held) {
            shape.insert(shape.begin(), loop_->steps);
        }
        View view = dense_view(buffer, std::move(shape));
        view.offset = each.place;
        if (inside.kind == Kind::kInt) {
            View bits = dense_view(buffer, {view.count() * reals_of(inside.kind)});
            bits.offset = each.place;
            view = around_.fresh(Kind::kInt, view.shape);
            around_.emit({.code = Code::kBits, .kind = Kind::kReal, .in = {std::move(bits)}, .out = view});
        }
        view = each.held ? inserted(std::move(view), position, loop_->steps) : moved(std::move(view), 0, position);
        around_.views_[each.outside] = around_.convert(view, stored(inside.kind), type.kind);
    }

    // Puts a value in its place among the results: the body computes it in this place or, if it is only part of a
    // buffer, copies it.
    void settle(const View& view, const Wanted& to) {
        const Kind kind = stored(graph_.type(to.inside).kind);
        Listing& listing = loop_->body;
        std::uint32_t buffer = view.buffer;
        if (is_whole(listing, view)) {
            listing.buffers[buffer].segment = Segment::kStep;
        } else {
            buffer = static_cast<std::uint32_t>(listing.buffers.size());
            listing.buffers.push_back({.segment = Segment::kStep, .kind = kind, .size = to.width, .values = {}});
            listing.ops.push_back(
                {.code = Code::kCopy, .kind = kind, .in = {view}, .out = dense_view(buffer, view.shape)});
        }
        lies(buffer, kind, {.what = What::kWritten, .place = to.place / reals_of(kind), .stride = to.width});
    }

    void lies(std::uint32_t buffer, Kind kind, Passage passage) {
        passage.buffer = buffer;
        passage.bytes = static_cast<std::uint8_t>(bytes_of(kind, around_.target_.learner.real));
        loop_->passages.push_back(passage);
    }

    Lowering& around_;
    const graph::Graph& graph_;
    std::uint32_t number_;
    const Region& region_;
    const Node& node_;
    Lowering body_;
    std::shared_ptr<ScanLoop> loop_;
    Op op_;
    std::vector<Wanted> wanted_;
    Readers readers_;
    std::vector<NodeId> unneeded_;  // of the body
};

bool Lowering::scan(const At& at) {
    inner_ = Scan(*this, at).lower();
    return static_cast<bool>(inner_);
}

bool Lowering::steps_of(const At& at) {
    return has(at.node.first_output);
}

}  // namespace tenon::compiled
