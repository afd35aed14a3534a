// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/step.hpp"

#include <algorithm>
#include <string>

#include "compute/graph/draw.hpp"
#include "compute/graph/text.hpp"
#include "engines/torch/align.hpp"

namespace tenon::reference {
namespace {

using graph::Dim;
using graph::InputKind;
using graph::Kind;
using graph::OpId;
using graph::Rule;

// If the program has this column, a random node reads it instead of drawing: golden tests provide another program's
// random numbers.
constexpr std::string_view kFeedPrefix = "draw/";

Slot slot_of(const graph::AttributeValue& value) {
    Slot slot;
    std::visit(
        [&](const auto& v) {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::int64_t>) {
                slot.integer = v;
            } else if constexpr (std::is_same_v<T, double>) {
                slot.real = v;
            } else if constexpr (std::is_same_v<T, std::string>) {
                slot.text = v;
            } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
                slot.integers = v;
            } else {
                slot.texts = v;
            }
        },
        value);
    return slot;
}

// Rules whose inputs are aligned by name before the kernel runs.
bool aligns(Rule rule) {
    return rule == Rule::kElementwise || rule == Rule::kCompare || rule == Rule::kLogical || rule == Rule::kWhere ||
           rule == Rule::kScanLinear;
}

at::ScalarType wanted(const graph::OpDef& op, InputKind kind, const Frame& frame, at::ScalarType have) {
    switch (kind) {
        case InputKind::kReal:
            return frame.real;
        case InputKind::kInt:
            return at::kLong;
        case InputKind::kBool:
            return at::kBool;
        case InputKind::kAny:
            return have;
        case InputKind::kNumber:
            break;
    }
    const bool compares_ints = op.rule == Rule::kCompare &&
                               std::ranges::all_of(frame.in, [](const graph::Type& t) { return t.kind == Kind::kInt; });
    return frame.out.kind == Kind::kInt || compares_ints ? at::kLong : frame.real;
}

Frame frame_of(const Surroundings& around, const graph::Node& node, const graph::OpDef& op) {
    Frame frame;
    frame.real = scalar_type(around.real);
    for (const graph::AttributeDef& def : op.attributes) {
        const graph::AttributeValue* value = graph::find_attribute(node, def.name);
        frame.attributes.push_back(value == nullptr ? Slot{} : slot_of(*value));
    }
    for (const graph::ValueId input : node.inputs) {
        frame.in.push_back(around.graph.type(input));
    }
    if (node.output_count > 0) {
        frame.out = around.graph.type(node.first_output);
        frame.out_type = scalar_type(frame.out.kind, frame.real);
    }
    if (!frame.in.empty()) {
        const std::vector<Dim>& dims = frame.in[0].dims;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            if (dims[i] <= graph::kFirstGroup) {
                continue;
            }
            if (graph::is_derived(dims[i])) {
                frame.member_dim = static_cast<std::int64_t>(i);
            } else if (dims[i] < 0) {
                frame.row_dims.push_back(static_cast<std::int64_t>(i));
            }
        }
    }
    return frame;
}

std::ptrdiff_t find_port(std::span<const Port> ports, std::string_view key) {
    const auto found = std::ranges::find(ports, key, &Port::key);
    return found == ports.end() ? -1 : found - ports.begin();
}

Status bind_column(const Surroundings& around, Step& step) {
    const std::string& key = graph::string_attribute(around.graph.nodes[step.node], "key");
    const std::ptrdiff_t port = find_port(around.inputs, key);
    if (port < 0) {
        return graph::problem_at(around.graph, step.node, "the program has no input for the column '" + key + "'");
    }
    const Port& spec = around.inputs[static_cast<std::size_t>(port)];
    if (!std::ranges::equal(spec.row.extents(), step.frame.out.sizes())) {
        return graph::problem_at(around.graph, step.node,
                                 "the column '" + key + "' has rows of " + to_string(spec.row) +
                                     ", but the graph reads " + around.graph.symbols.text(step.frame.out));
    }
    step.index = static_cast<std::size_t>(port);
    return {};
}

void bind_operands(const graph::Graph& graph, const graph::Node& node, const graph::OpDef& op, Step& step) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const at::ScalarType have = scalar_type(step.frame.in[i].kind, step.frame.real);
        Operand operand{.value = node.inputs[i], .want = have, .convert = false, .gaps = {}};
        operand.want = wanted(op, op.inputs[std::min(i, op.inputs.size() - 1)].kind, step.frame, have);
        operand.convert = operand.want != have;
        if (aligns(op.rule)) {
            operand.gaps = gaps(graph.type(node.inputs[i]).dims, step.frame.out.symbols());
        }
        step.operands.push_back(std::move(operand));
    }
}

Source special_source(OpId op) {
    static constexpr graph::ByOp<Source> kSources{{OpId::kColumn_1, Source::kColumn},
                                                  {OpId::kParameter_1, Source::kLeaf},
                                                  {OpId::kState_1, Source::kLeaf},
                                                  {OpId::kConstant_1, Source::kConstant},
                                                  {OpId::kIntConstant_1, Source::kConstant},
                                                  {OpId::kOption_1, Source::kLive},
                                                  {OpId::kFrames_1, Source::kFrames},
                                                  {OpId::kUpdates_1, Source::kUpdates},
                                                  {OpId::kProgress_1, Source::kProgress},
                                                  {OpId::kArgument_1, Source::kArgument},
                                                  {OpId::kStepsOf_1, Source::kSteps},
                                                  {OpId::kFused_1, Source::kFused},
                                                  {OpId::kFusedGradient_1, Source::kFused},
                                                  {OpId::kScan_1, Source::kScan},
                                                  {OpId::kScan_2, Source::kScan},
                                                  {OpId::kScan_3, Source::kScan}};
    return kSources[op];
}

}  // namespace

at::ScalarType scalar_type(DType dtype) {
    switch (dtype) {
        case DType::kF64:
            return at::kDouble;
        case DType::kI64:
            return at::kLong;
        case DType::kI32:
            return at::kInt;
        case DType::kU8:
            return at::kByte;
        case DType::kBool:
            return at::kBool;
        case DType::kF32:
            break;
    }
    return at::kFloat;
}

at::ScalarType scalar_type(Kind kind, at::ScalarType real) {
    return kind == Kind::kReal ? real : kind == Kind::kInt ? at::kLong : at::kBool;
}

Result<Step> make_step(const Surroundings& around, graph::NodeId id) {
    const graph::Node& node = around.graph.nodes[id];
    const graph::OpDef& op = *node.op;
    Step step;
    step.node = id;
    step.frame = frame_of(around, node, op);
    step.out = node.first_output;
    step.source = special_source(op.id);
    bind_operands(around.graph, node, op, step);
    if (op.random) {
        const graph::AttributeValue* stream = graph::find_attribute(node, "stream");
        step.source = node.is(graph::OpId::kRandomNormal_1) ? Source::kNormal : Source::kUniform;
        step.key = graph::stream_key(around.seed, around.graph, node);
        step.fed_by = stream == nullptr
                          ? -1
                          : find_port(around.inputs, std::string(kFeedPrefix) + std::get<std::string>(*stream));
    }
    switch (step.source) {
        case Source::kKernel:
            step.kernel = node.is(graph::OpId::kComposite_1) ? composite : kernel_of(op);
            if (step.kernel == nullptr) {
                return graph::problem_at(around.graph, id,
                                         "the reference executor cannot compute " + graph::describe(around.graph, id));
            }
            step.folds = node.region == 0 && step.frame.out.symbol_count() == 0;
            break;
        case Source::kColumn:
            TENON_TRY(bind_column(around, step));
            break;
        case Source::kFused:
            step.fused = std::make_shared<const Fused>(around.graph, id, step.frame.real);
            break;
        case Source::kLive:
            step.index = static_cast<std::size_t>(graph::int_attribute(node, "index"));
            break;
        case Source::kScan:
        case Source::kSteps:
            step.index = static_cast<std::size_t>(graph::int_attribute(node, "region"));
            break;
        default:
            break;
    }
    return step;
}

}  // namespace tenon::reference
