// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/plain_attention.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tenon::graph {
namespace {

constexpr double kNever = -1e30;  // the score of a key that is not allowed

class PlainAttention {
public:
    PlainAttention(Extension& extension, const Node& node)
        : graph_(extension.graph()),
          extension_(extension),
          node_(node),
          heads_(int_attribute(node, "heads")),
          queries_(size(0, 0)),
          keys_(size(1, 0)) {}

    ValueId made() {
        const double given = float_attribute(node_, "scale");
        const std::int64_t of_head = size(0, 1) / heads_;
        const double scale = given == 0 ? 1 / std::sqrt(static_cast<double>(of_head)) : given;
        const ValueId query = emit(OpId::kMul_1, {node_.inputs[0], extension_.constant(scale)});
        ValueId weights = emit(OpId::kLinear_1, {by_head(query, 0), by_head(node_.inputs[1], 1)});
        const ValueId allowed = allowed_keys();
        if (allowed == 0) {
            weights = emit(OpId::kSoftmax_1, {weights});
        } else {
            weights = emit(OpId::kSoftmax_1, {emit(OpId::kWhere_1, {allowed, weights, extension_.constant(kNever)})});
            weights = emit(OpId::kWhere_1, {allowed, weights, extension_.constant(0)});  // of rows that allow nothing
        }
        const ValueId value = emit(OpId::kTranspose_1, {by_head(node_.inputs[2], 2)});
        ValueId out = emit(OpId::kLinear_1, {weights, value});
        if (heads_ > 1) {
            out = emit(OpId::kUngroup_1, {out}, {{"axis", std::int64_t{-2}}, {"name", name()}});
        }
        return emit(OpId::kReshape_1, {out}, {{"shape", std::vector<std::int64_t>{queries_, size(2, 1)}}});
    }

private:
    [[nodiscard]] std::int64_t size(std::size_t input, std::size_t number) const {
        return graph_.type(node_.inputs[input]).sizes()[number];
    }
    [[nodiscard]] std::string name() const { return "of " + std::to_string(heads_) + " heads"; }

    ValueId emit(OpId op, std::vector<ValueId> inputs, std::vector<Attribute> attributes = {}) {
        return extension_.emit(op, std::move(inputs), std::move(attributes));
    }

    // Heads become a leading dimension, so that each has a separate product.
    ValueId by_head(ValueId rows, std::size_t input) {
        if (heads_ == 1) {
            return rows;
        }
        const std::vector<std::int64_t> shape{size(input, 0), heads_, size(input, 1) / heads_};
        return emit(OpId::kGroup_1, {emit(OpId::kReshape_1, {rows}, {{"shape", shape}})},
                    {{"axis", std::int64_t{-2}}, {"name", name()}});
    }

    // The vector 0, 1, .. n - 1.
    ValueId counting(std::int64_t n) {
        ValueId out = unsqueezed(extension_.constant(0), -1);
        for (std::int64_t have = 1; have < n; have *= 2) {
            const ValueId more = emit(OpId::kAdd_1, {out, extension_.constant(static_cast<double>(have))});
            out = emit(OpId::kConcat_2, {out, more}, {{"axis", std::int64_t{-1}}});
        }
        return emit(OpId::kSlice_1, {out}, {{"start", std::int64_t{0}}, {"length", n}});
    }

    ValueId unsqueezed(ValueId x, std::int64_t axis) { return emit(OpId::kUnsqueeze_1, {x}, {{"axis", axis}}); }

    // What is given for the queries as [.., queries or 1, keys or 1].
    ValueId lined_up(ValueId given) {
        const Type& type = graph_.type(given);
        const std::size_t sizes = type.sizes().size();
        if (type.kind == Kind::kBool) {
            return sizes == 1 ? unsqueezed(given, -2) : given;
        }
        return unsqueezed(sizes == 0 ? unsqueezed(given, -1) : given, -1);
    }

    void restrict_to(ValueId& allowed, ValueId which) {
        allowed = allowed == 0 ? which : emit(OpId::kAnd_1, {allowed, which});
    }

    // Which keys each query may attend to; 0 if all.
    ValueId allowed_keys() {
        ValueId out = 0;
        const auto key = [&] { return unsqueezed(counting(keys_), -2); };
        if (int_attribute(node_, "causal") != 0) {
            const auto ahead = static_cast<double>(keys_ - queries_);
            const ValueId own = unsqueezed(emit(OpId::kAdd_1, {counting(queries_), extension_.constant(ahead)}), -1);
            restrict_to(out, emit(OpId::kLe_1, {key(), own}));
            if (const std::int64_t window = int_attribute(node_, "window"); window > 0) {
                const ValueId before = emit(OpId::kSub_1, {own, extension_.constant(static_cast<double>(window))});
                restrict_to(out, emit(OpId::kGt_1, {key(), before}));
            }
        }
        if (node_.inputs.size() > 3) {
            const bool is_first = graph_.type(node_.inputs[3]).kind == Kind::kInt;
            const ValueId given = lined_up(node_.inputs[3]);
            restrict_to(out, is_first ? emit(OpId::kGe_1, {key(), given}) : given);
        }
        return out;
    }

    const Graph& graph_;
    Extension& extension_;
    const Node node_;
    std::int64_t heads_;
    std::int64_t queries_;
    std::int64_t keys_;
};

}  // namespace

ValueId plain_attention(Extension& extension, const Node& node) {
    return PlainAttention(extension, node).made();
}

}  // namespace tenon::graph
