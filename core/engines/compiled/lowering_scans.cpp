// SPDX-License-Identifier: Apache-2.0
// Scans, over time or over a number of steps. The body is lowered separately. The values it reads from the outer graph,
// and its own values that are needed at every step, use memory of the outer tape.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "compute/graph/attributes.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"
#include "engines/compiled/constants.hpp"
#include "engines/compiled/lasting_sides.hpp"
#include "engines/compiled/lowering.hpp"
#include "engines/compiled/narrowing.hpp"
#include "engines/compiled/product_tails.hpp"
#include "engines/compiled/scan_loop.hpp"

namespace tenon::compiled {

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
          loop_(std::make_shared<ScanLoop>()) {
        loop_->steps = around.size_of(region_.steps);
        loop_->backward = region_.backward;
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
        std::int64_t place = 0;  // offset among the results, in elements
        std::int64_t width = 0;  // elements per step
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

    // Memories are real; other results may be boolean.
    [[nodiscard]] Status check_types() const {
        const auto refused = [&](ValueId value) {
            const NodeId node = graph_.values[value].node;
            const Type& type = graph_.type(value);
            return graph::problem_at(graph_, node,
                                     "a scan" + whose(node) + " that carries or returns " + graph_.symbols.text(type) +
                                         " cannot be compiled" +
                                         (type.kind == Kind::kReal ? "" : "; cast it to real inside of the scan"));
        };
        for (std::size_t i = 0; i < static_cast<std::size_t>(region_.carries); ++i) {
            if (graph_.type(region_.inputs[i]).kind != Kind::kReal) {
                return refused(region_.inputs[i]);
            }
        }
        for (const Wanted& each : wanted_) {
            const Type& type = graph_.type(each.inside);
            if (type.kind == Kind::kInt || type.has(region_.steps)) {
                return refused(each.inside);
            }
        }
        return {};
    }

    // The results are contiguous, each with all its steps.
    void place_results() {
        std::int64_t size = 0;
        for (Wanted& each : wanted_) {
            each.place = size;
            each.width = dense_view(0, around_.shape_of(graph_.type(each.inside))).count();
            size += around_.room_for(over_steps(graph_.type(each.inside)));
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
        const std::size_t input = op_.in.size();
        op_.in.push_back(around_.dense(around_.views_[region_.arguments[number]], Kind::kReal));
        const Wanted& result = wanted_[number];
        const Passage passage{.what = What::kMemory, .input = input, .place = result.place, .stride = result.width};
        View view = dense_view(add_buffer(Kind::kReal, result.width, passage), body_.shape_of(type));
        if (region_.reset < 0) {
            return view;
        }
        const ValueId reset = region_.inputs[static_cast<std::size_t>(region_.reset)];
        const Type leading{Kind::kBool, {type.symbols().begin(), type.symbols().end()}};
        View begins = body_.aligned(body_.views_[reset], graph_.type(reset), leading);
        for (std::size_t i = 0; i < type.sizes().size(); ++i) {
            const std::size_t at = begins.shape.size();
            begins = inserted(std::move(begins), at, view.shape[at]);
        }
        const View zeros = stretched(body_.constant(0), view.shape);
        return body_.map(Code::kWhere, Kind::kReal, {std::move(begins), zeros, std::move(view)}, Kind::kReal);
    }

    Status add_body() {
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (!is_in_body(id) || !around_.target_.needed[id] || node.is(graph::OpId::kArgument_1)) {
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

    // Finishes the body and adds the operation and its results to the outer graph.
    void leave() {
        std::vector<View> given;
        for (const Wanted& each : wanted_) {
            given.push_back(body_.convert(body_.views_[each.inside], graph_.type(each.inside).kind, Kind::kReal));
            loop_->pinned.push_back(given.back().buffer);
        }
        loop_->body = body_.take();
        fold_constants(loop_->body, around_.target_.learner.real, around_.target_.varies);
        narrow_columns(loop_->body, loop_->pinned);
        attach_tails(loop_->body, around_.target_.learner.real, loop_->pinned);
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            settle(given[i], wanted_[i]);
        }
        loop_->pinned.clear();
        keep_sides(loop_->body, around_.target_.learner.real);
        op_.scan = loop_;
        const std::uint32_t buffer = op_.out.buffer;
        around_.emit(std::move(op_));
        for (const Wanted& each : wanted_) {
            const Type inside = graph_.type(each.inside);
            const Type type = over_steps(inside);
            std::vector<std::int64_t> shape = around_.shape_of(inside);
            shape.insert(shape.begin(), loop_->steps);
            View view = dense_view(buffer, std::move(shape));
            view.offset = each.place;
            view = moved(std::move(view), 0, position_of(type, region_.steps));
            around_.views_[each.outside] = around_.convert(view, Kind::kReal, type.kind);
        }
    }

    // Puts a value in its place among the results: the body computes it in this place or, if it is only part of a
    // buffer, copies it.
    void settle(const View& view, const Wanted& to) {
        Listing& listing = loop_->body;
        std::uint32_t buffer = view.buffer;
        if (is_whole(listing, view)) {
            listing.buffers[buffer].segment = Segment::kStep;
        } else {
            buffer = static_cast<std::uint32_t>(listing.buffers.size());
            listing.buffers.push_back({.segment = Segment::kStep, .kind = Kind::kReal, .size = to.width, .values = {}});
            listing.ops.push_back(
                {.code = Code::kCopy, .kind = Kind::kReal, .in = {view}, .out = dense_view(buffer, view.shape)});
        }
        lies(buffer, Kind::kReal, {.what = What::kWritten, .place = to.place, .stride = to.width});
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
};

bool Lowering::scan(const At& at) {
    inner_ = Scan(*this, at).lower();
    return static_cast<bool>(inner_);
}

bool Lowering::steps_of(const At& at) {
    return has(at.node.first_output);
}

}  // namespace tenon::compiled
