// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/specialised.hpp"

#include <algorithm>
#include <utility>

#include "compute/exec/over_shards.hpp"
#include "compute/exec/parameter_reads.hpp"
#include "compute/exec/rows.hpp"
#include "compute/graph/dependence.hpp"
#include "engines/compiled/listing_passes.hpp"
#include "engines/compiled/next_rows.hpp"
#include "engines/compiled/next_values.hpp"

namespace tenon::compiled {
namespace {

using graph::Dim;
using graph::NodeId;
using graph::Type;
using graph::ValueId;

class Specialising {
public:
    explicit Specialising(const Request& request, UpdateGraph update)
        : request_(request), out_(std::make_unique<Specialised>()) {
        out_->plan = &request.plan;
        out_->sizes = request.sizes;
        out_->update = std::move(update);
        if (request.stages.empty() && !request.spec.is_on_device()) {
            next_values_ = find_next_values(out_->update, request.spec.inputs, request.sizes);
        }
    }

    Result<std::unique_ptr<Specialised>> make() {
        const UpdateGraph& update = out_->update;
        std::vector<ValueId> shown = request_.plan.wanted;
        for (const std::vector<ValueId>& gradients : update.gradients) {
            shown.insert(shown.end(), gradients.begin(), gradients.end());
        }
        Lowering lowering({.graph = update.graph,
                           .learner = request_.learner,
                           .inputs = request_.spec.inputs,
                           .seed = request_.spec.seed,
                           .sizes = request_.sizes,
                           .needed = update.needed,
                           .varies = request_.varies,
                           .largest = request_.like == nullptr ? request_.sizes : request_.like->sizes,
                           .shown = &shown});
        TENON_TRY(add_nodes(lowering));
        TENON_TRY(see_effects(lowering));
        see_losses(lowering);
        Listing listing = lowering.take();
        const std::vector<std::uint32_t> seen = pinned_;
        std::ranges::sort(pinned_);
        const auto repeated = std::ranges::unique(pinned_);
        pinned_.erase(repeated.begin(), repeated.end());
        fold_constants(listing, request_.learner.real, request_.varies);
        import_directly(listing, pinned_);
        narrow_columns(listing, pinned_);
        const bool for_device = request_.has_room != nullptr;
        attach_tails(listing, request_.learner.real, pinned_, for_device ? RunsOn::kDevice : RunsOn::kCpu);
        if (!for_device && !request_.plain) {  // devices and exported programs have no form of it
            join_gelus(listing, request_.learner.real, pinned_);
        }
        Tape tape =
            TENON_TRY(for_device ? tape_for_device(std::move(listing), seen) : tape_of(std::move(listing), seen));
        out_->tape = std::move(tape);
        return std::move(out_);
    }

private:
    Result<Tape> tape_of(Listing listing, const std::vector<std::uint32_t>& seen) const {
        reuse_memory(listing, pinned_);
        settle_gradients(listing, seen);
        if (request_.stages.empty() && !request_.varies && !request_.spec.is_on_device()) {
            keep_sides(listing, request_.learner.real);
        }
        return Tape::make(std::move(listing), request_.learner.real, pinned_, request_.pool,
                          request_.like == nullptr ? nullptr : &request_.like->tape);
    }

    // A loop over whole rows has more values at the same time, and a kernel has room for a limited number of them.
    Result<Tape> tape_for_device(Listing listing, const std::vector<std::uint32_t>& seen) const {
        write_out_short_sums(listing);
        Listing by_column = listing;
        write_out_short_rows(by_column, pinned_);
        Result<Tape> tape = tape_of(std::move(by_column), seen);
        return tape && request_.has_room(*tape) ? std::move(tape) : tape_of(std::move(listing), seen);
    }

    Status add_nodes(Lowering& lowering) {
        const UpdateGraph& update = out_->update;
        for (const Copied& copied : update.copies) {
            TENON_TRY(lowering.add(copied.node, 0));
            Snapshot snapshot{
                .from = lowering.view(update.graph.nodes[copied.node].first_output), .to = {}, .after = copied.after};
            snapshot.to = lowering.add_copy(copied.node);
            out_->snapshots.push_back(std::move(snapshot));
        }
        for (NodeId id = 1; id < update.graph.nodes.size(); ++id) {
            const graph::Node& node = update.graph.nodes[id];
            if (update.needed[id] && node.output_count > 0 && graph::scan_of(update.graph, node.region) == 0) {
                TENON_TRY(add_node(lowering, id));
            }
        }
        return {};
    }

    Status add_node(Lowering& lowering, NodeId id) const {
        const UpdateGraph& update = out_->update;
        const auto next_value = std::ranges::find(next_values_, update.graph.nodes[id].first_output, &NextValue::next);
        if (next_value == next_values_.end()) {
            return lowering.add(id, update.phase[id]);
        }
        Result<std::shared_ptr<NextRows>> rows = NextRows::make(request_, update, *next_value);
        if (rows) {
            lowering.add_next_rows(next_value->next, next_value->now, std::move(*rows), update.phase[id]);
        }
        return rows ? Status() : Status(rows.error());
    }

    Seen see(const Lowering& lowering, ValueId value) {
        Seen out{.view = lowering.view(value), .kind = out_->update.graph.type(value).kind};
        pinned_.push_back(out.view.buffer);
        return out;
    }

    void see_losses(const Lowering& lowering) {
        for (const graph::Loss& loss : out_->update.graph.losses) {
            const bool due = is_due(request_.plan.variant.due, loss.stage);
            out_->losses.push_back(due ? see(lowering, loss.value) : Seen{});
        }
        for (const std::vector<ValueId>& gradients : out_->update.gradients) {
            std::vector<Seen>& list = out_->gradients.emplace_back();
            for (const ValueId gradient : gradients) {
                list.push_back(gradient == 0 ? Seen{} : see(lowering, gradient));
            }
        }
    }

    // Whether an earlier stage of the sequence steps with the network's slab after the gradient has been computed.
    [[nodiscard]] bool is_stepped_before(std::size_t run, std::size_t network, ValueId gradient) const {
        const std::vector<StageRun>& sequence = request_.plan.sequence;
        const std::uint32_t phase = out_->update.phase_of(gradient);
        return std::any_of(sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(run),
                           [&](const StageRun& earlier) {
                               return earlier.phase >= phase && owns(request_.stages[earlier.stage], network);
                           });
    }

    // Computes a gradient directly in its slab if nothing else reads it, because a step may scale the slab, and if no
    // other stage needs the slab before its own stage has stepped.
    void settle_gradients(Listing& listing, const std::vector<std::uint32_t>& seen) const {
        for (std::size_t run = 0; run < out_->gradients.size(); ++run) {
            for (std::size_t i = 0; i < out_->gradients[run].size(); ++i) {
                const View& view = out_->gradients[run][i].view;
                const bool is_read = std::ranges::any_of(listing.ops, [&](const Op& op) {
                    return std::ranges::find(op.in, view.buffer, &View::buffer) != op.in.end();
                });
                const ParameterPlace& place = request_.plan.sequence[run].parameters[i];
                if (is_read || !is_whole(listing, view) || std::ranges::count(seen, view.buffer) != 1 ||
                    is_stepped_before(run, place.network, out_->update.gradients[run][i])) {
                    continue;
                }
                const NetworkLayout& layout = request_.learner.networks[place.network].layout;
                Buffer& buffer = listing.buffers[view.buffer];
                buffer.segment = Segment::kGradient;
                buffer.index = place.network;
                buffer.offset = layout.parameters[place.parameter].offset;
            }
        }
    }

    Status see_effects(const Lowering& lowering) {
        for (const Effect& effect : request_.plan.effects) {
            if (effect.kind != Effect::Kind::kWrite) {
                out_->effects.push_back(see(lowering, effect.value));
            } else if (Status seen = see_write(lowering, effect); !seen) {
                return seen;
            }
        }
        return request_.plan.writes_state ? see_states(lowering) : Status();
    }

    // Writes the value with all leading dimensions of the batch; what shards exchange, as it is.
    Status see_write(const Lowering& lowering, const Effect& write) {
        const graph::Graph& graph = out_->update.graph;
        const Type& type = graph.type(write.value);
        if (!std::ranges::equal(type.sizes(), request_.spec.outputs[write.index].row.extents())) {
            return plugin_problem("'" + graph.writes[write.index].name +
                                  "' does not fit its column");  // the reference executor has said so
        }
        const std::vector<graph::Dim> leading = is_over_shards(graph.writes[write.index].name)
                                                    ? std::vector<graph::Dim>()
                                                    : leading_of(graph).value_or(leading_of(request_.sizes));
        Type full{type.kind, graph::join_symbols(leading, type.symbols())};
        full.dims.insert(full.dims.end(), type.sizes().begin(), type.sizes().end());
        Seen out = see(lowering, write.value);
        View view{
            .buffer = out.view.buffer, .offset = out.view.offset, .shape = lowering.shape_of(full), .strides = {}};
        view.strides.assign(view.shape.size(), 0);
        for (std::size_t i = 0; i < type.dims.size(); ++i) {
            const std::size_t at =
                type.dims[i] < 0 ? position_of(full, type.dims[i]) : full.dims.size() - (type.dims.size() - i);
            view.strides[at] = out.view.strides[i];
        }
        out.view = std::move(view);
        out_->effects.push_back(std::move(out));
        return {};
    }

    Status see_states(const Lowering& lowering) {
        std::vector<StateWrite> writes = TENON_TRY(state_writes(out_->update.graph, request_.learner));
        for (const StateWrite& write : writes) {
            out_->states.push_back({write.network, write.parameter, see(lowering, write.value)});
        }
        return {};
    }

    const Request& request_;
    std::unique_ptr<Specialised> out_;
    std::vector<NextValue> next_values_;
    std::vector<std::uint32_t> pinned_;
};

}  // namespace

Result<std::unique_ptr<Specialised>> specialise(const Request& request) {
    UpdateGraph update = TENON_TRY(
        make_update_graph(request.plan, request.stages, request.learner, request.plain || request.has_room != nullptr));
    return Specialising(request, std::move(update)).make();
}

}  // namespace tenon::compiled
