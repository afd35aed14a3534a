// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/loss_totals.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "compute/exec/rows.hpp"
#include "compute/gradient/extension.hpp"
#include "compute/graph/burn_in.hpp"
#include "compute/graph/text.hpp"

namespace tenon {
namespace {

using graph::Dim;
using graph::Kind;
using graph::Type;
using graph::ValueId;

class Totals {
public:
    Totals(graph::Graph& graph, bool mask, bool weight)
        : graph_(graph),
          extension_(graph),
          leading_(leading_of(graph).value_or(std::vector<Dim>{graph::kRows})),
          has_mask_(mask),
          has_weight_(weight) {}

    Status add() {
        for (graph::Loss& loss : graph_.losses) {
            ValueId total = TENON_TRY(total_of(loss.value, loss.present));
            loss.value = total;
            loss.present = 0;
        }
        return extension_.status();
    }

private:
    Result<ValueId> total_of(ValueId value, ValueId present) {
        const Type type = graph_.type(value);
        extension_.at_source(graph_.node_of(value).source);
        const auto rows = std::ranges::count_if(type.dims, graph::is_row);
        const bool per_row = rows > 0 && std::ranges::all_of(leading_, [&](Dim dim) { return type.has(dim); });
        const bool masked = has_mask_ || graph_.burn_in > 0 || present != 0;
        if (!per_row || (!masked && !has_weight_)) {
            return sum(rows == 0 ? value : extension_.emit(graph::OpId::kBatchMean_1, {value}));
        }
        if (rows != std::ssize(leading_)) {
            return graph::problem_at(graph_, graph_.values[value].node,
                                     "the rows of a loss differ from those of the batch's mask or weights");
        }
        ValueId terms = value;
        if (has_weight_) {
            terms =
                extension_.emit(graph::OpId::kMul_1, {terms, extension_.column("weight", Type{Kind::kReal, leading_})});
        }
        if (!masked) {
            return sum(extension_.emit(graph::OpId::kBatchMean_1, {terms}));
        }
        const ValueId mask = rows_that_count(present);
        terms = extension_.emit(graph::OpId::kWhere_1, {mask, terms, extension_.constant(0)});
        const ValueId counted = sum(extension_.emit(graph::OpId::kCast_1, {mask}, {{"to", std::string("real")}}));
        const ValueId count = extension_.emit(graph::OpId::kMaximum_1, {counted, extension_.constant(1)});
        return extension_.emit(graph::OpId::kDiv_1, {sum(terms), count});
    }

    ValueId sum(ValueId of) {
        return graph_.type(of).dims.empty() ? of
                                            : extension_.emit(graph::OpId::kSumLike_1, {of, extension_.constant(0)});
    }

    // present: if it is not 0, agents who are absent do not count either.
    ValueId rows_that_count(ValueId present) {
        if (present == 0) {
            return marked_rows();
        }
        return has_mask_ || graph_.burn_in > 0 ? extension_.emit(graph::OpId::kAnd_1, {present, marked_rows()})
                                               : present;
    }

    ValueId marked_rows() {
        const Type type{Kind::kBool, leading_};
        if (graph_.burn_in == 0) {
            return extension_.column("mask", type);
        }
        const ValueId flags = extension_.column(has_mask_ ? "mask" : "is_init", type);
        const ValueId step = graph::step_numbers(flags, extension_.constant(1), [&](auto op, auto inputs, auto more) {
            return extension_.emit(op, std::move(inputs), std::move(more));
        });
        const ValueId burnt = extension_.constant(static_cast<double>(graph_.burn_in));
        const ValueId warm = extension_.emit(graph::OpId::kGt_1, {step, burnt});
        return has_mask_ ? extension_.emit(graph::OpId::kAnd_1, {flags, warm}) : warm;
    }

    graph::Graph& graph_;
    graph::Extension extension_;
    std::vector<Dim> leading_;
    bool has_mask_;
    bool has_weight_;
};

}  // namespace

RowPorts row_ports(std::span<const Port> inputs) {
    return {.mask = find_row_port(inputs, "mask", true), .weight = find_row_port(inputs, "weight", false)};
}

Status reduce_losses(graph::Graph& graph, bool mask, bool weight) {
    return Totals(graph, mask, weight).add();
}

}  // namespace tenon
