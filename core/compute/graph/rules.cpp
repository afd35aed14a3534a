// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/rules.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "compute/graph/rule_question.hpp"

namespace tenon::graph {
namespace {

// div and pow compute reals, even from ints.
bool works_on_reals(const OpDef& op) {
    return std::all_of(op.inputs.begin(), op.inputs.end(),
                       [](const InputDef& input) { return input.kind == InputKind::kReal; });
}

// Why two inputs do not line up and what to do, after "which do not line up"; empty if they do.
std::string quarrel(const Question& q, std::size_t first, std::size_t second, std::int64_t joined) {
    const auto a = q.in[first].sizes();
    const auto b = q.in[second].sizes();
    if (q.in[first].dims.empty() || q.in[second].dims.empty()) {
        return {};
    }
    if (a.size() != b.size()) {
        const std::size_t longer = a.size() > b.size() ? first : second;
        const std::size_t shorter = longer == first ? second : first;
        const bool drop = q.in[longer].sizes().back() == 1;
        return ", because rows are matched with rows and sizes with sizes: " +
               (drop ? "squeeze(" + name_of_input(q.op, longer) + ") drops its last size of 1"
                     : "unsqueeze(" + name_of_input(q.op, shorter) + ") gives it a last size of 1");
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool pairs = static_cast<std::int64_t>(i) != static_cast<std::int64_t>(a.size()) + joined;
        if (pairs && a[i] != b[i] && a[i] != 1 && b[i] != 1) {
            return ": " + std::to_string(a[i]) + " against " + std::to_string(b[i]);
        }
    }
    return {};
}

Outcome align_all(const Question& q) {
    Type out = q.in[0];
    for (std::size_t i = 1; i < q.in.size(); ++i) {
        std::optional<Type> next = align(out, q.in[i]);
        if (!next) {
            return misfit_at(q, i);
        }
        out = std::move(*next);
    }
    return out;
}

Outcome aligned(const Question& q, Kind kind) {
    Type out = TENON_TRY(align_all(q));
    out.kind = kind;
    return out;
}

Outcome kept(const Question& q, Kind kind) {
    const bool along_size = q.op.id == OpId::kSoftmax_1 || q.op.id == OpId::kLogSoftmax_1;
    if (along_size && q.in[0].sizes().empty()) {
        return Misfit{"it works along the last size, but " + q.text(0) + ", has none after its leading dimensions", 0};
    }
    Type out = q.in[0];
    out.kind = kind;
    return out;
}

}  // namespace

Kind arithmetic_kind(std::span<const Type> in) {
    const bool all_int = std::all_of(in.begin(), in.end(), [](const Type& t) { return t.kind == Kind::kInt; });
    return all_int ? Kind::kInt : Kind::kReal;
}

Misfit misfit_at(const Question& q, std::size_t number, std::int64_t joined) {
    std::size_t other = 0;
    while (other + 1 < number && quarrel(q, other, number, joined).empty()) {
        ++other;
    }
    const auto is = [&](std::size_t i) { return name_of_input(q.op, i) + " is " + q.symbols.text(q.in[i]); };
    return {is(other) + " and " + is(number) + ", whose shapes do not match" + quarrel(q, other, number, joined),
            static_cast<int>(other), static_cast<int>(number)};
}

std::string name_of_input(const OpDef& op, std::size_t number) {
    const InputDef& def = op.inputs[std::min(number, op.inputs.size() - 1)];
    const std::size_t first = op.inputs.size() - 1;
    return std::string(def.name) + (def.variadic ? "[" + std::to_string(number - first) + "]" : "");
}

std::string text_of_input(const OpDef& op, std::size_t number, const Type& type, const Symbols& symbols) {
    return name_of_input(op, number) + ", " + symbols.text(type);
}

std::optional<Type> align(const Type& a, const Type& b) {
    Type out{Kind::kReal, join_symbols(a.symbols(), b.symbols())};
    const auto sa = a.sizes();
    const auto sb = b.sizes();
    if (a.dims.empty() || b.dims.empty()) {
        return typed(Kind::kReal, out.dims, a.dims.empty() ? sb : sa);
    }
    if (sa.size() != sb.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < sa.size(); ++i) {
        if (sa[i] != sb[i] && sa[i] != 1 && sb[i] != 1) {
            return std::nullopt;
        }
        out.dims.push_back(sa[i] == 1 ? sb[i] : sa[i]);
    }
    return out;
}

Outcome rule::elementwise(const Question& q) {
    return aligned(q, works_on_reals(q.op) ? Kind::kReal : arithmetic_kind(q.in));
}

Outcome rule::compare(const Question& q) {
    return aligned(q, Kind::kBool);
}

Outcome rule::logical(const Question& q) {
    return aligned(q, Kind::kBool);
}

Outcome rule::where(const Question& q) {
    Type out = TENON_TRY(align_all(q));
    out.kind = arithmetic_kind(q.in.subspan(1));
    return out;
}

Outcome rule::same(const Question& q) {
    return kept(q, Kind::kReal);
}

Outcome rule::random(const Question& q) {
    return kept(q, Kind::kReal);
}

Outcome rule::keep(const Question& q) {
    return kept(q, q.in[0].kind);
}

Outcome rule::cast(const Question& q) {
    Type out = q.in[0];
    const std::string& to = string_attribute(q.node, "to");
    if (to != "real" && to != "int" && to != "bool") {
        return Misfit{"there is no kind '" + to + "'; use real, int or bool"};
    }
    out.kind = to == "real" ? Kind::kReal : to == "int" ? Kind::kInt : Kind::kBool;
    return out;
}

Outcome rule::linear(const Question& q) {
    const Type& x = q.in[0];
    const Type& weight = q.in[1];
    if (weight.sizes().size() != 2) {
        return Misfit{"the weight must be [out, in], but this is " + q.text(1), 1};
    }
    if (x.sizes().empty() || x.sizes().back() != weight.sizes()[1]) {
        return Misfit{q.text(0) + ", does not fit " + q.text(1) + ": their last sizes must be equal", 0, 1};
    }
    const Dim width = weight.sizes()[0];
    Type out{Kind::kReal, join_symbols(x.symbols(), weight.symbols())};
    if (q.in.size() > 2) {
        const Type& bias = q.in[2];
        if (bias.sizes().size() != 1 || bias.sizes()[0] != width) {
            return Misfit{q.text(2) + ", does not fit " + q.text(1) + ": it must be [out]", 1, 2};
        }
        out.dims = join_symbols(out.dims, bias.symbols());
    }
    out.dims.insert(out.dims.end(), x.sizes().begin(), x.sizes().end() - 1);
    out.dims.push_back(width);
    return out;
}

Outcome rule::scan_linear(const Question& q) {
    if (!q.in[1].has(kTime)) {
        return Misfit{"it runs over time, but " + q.text(1) +
                          ", does not: estimators such as gae belong in an objective's prepare, "
                          "which sees whole batches as [T, L]; let update read the column that prepare writes",
                      1};
    }
    return aligned(q, Kind::kReal);
}

Outcome rule::like(const Question& q) {
    return Type{Kind::kReal, q.in.back().dims};
}

Outcome rule::count_rows(const Question&) {
    return Type{};
}

Fitted<Type> infer(const OpDef& op, const Node& node, std::span<const Type> inputs, Symbols& symbols) {
    const auto type_of = rule::kRules[static_cast<std::size_t>(op.rule)];
    return type_of == nullptr ? Outcome(Misfit{"it has no shape rule"}) : type_of({op, node, inputs, symbols});
}

}  // namespace tenon::graph
