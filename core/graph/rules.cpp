// SPDX-License-Identifier: Apache-2.0
#include "graph/rules.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "graph/rule_question.hpp"

namespace tenon::graph {
namespace {

Kind arithmetic_kind(std::span<const Type> in) {
    const bool all_int = std::all_of(in.begin(), in.end(), [](const Type& t) { return t.kind == Kind::kInt; });
    return all_int ? Kind::kInt : Kind::kReal;
}

// div and pow take reals: of ints, too, they are real.
bool works_on_reals(const OpDef& op) {
    return std::all_of(op.inputs.begin(), op.inputs.end(),
                       [](const InputDef& input) { return input.kind == InputKind::kReal; });
}

enum class LastSize : std::uint8_t { kPairs, kJoined };

// The sizes that have to pair: all of them, or all but the last where the op joins along that one.
std::span<const Dim> pairing(const Type& type, LastSize last) {
    const auto sizes = type.sizes();
    return last == LastSize::kPairs ? sizes : sizes.first(sizes.size() - 1);
}

// Why two inputs do not line up and what to do, after "which do not line up"; empty where they do.
std::string quarrel(const Question& q, std::size_t first, std::size_t second, LastSize last) {
    const auto a = pairing(q.in[first], last);
    const auto b = pairing(q.in[second], last);
    if (q.in[first].dims.empty() || q.in[second].dims.empty()) {
        return {};
    }
    if (a.size() != b.size()) {
        const std::size_t longer = a.size() > b.size() ? first : second;
        const std::size_t shorter = longer == first ? second : first;
        const bool drop = q.in[longer].sizes().back() == 1;
        return ", for rows pair with rows and sizes with sizes: " +
               (drop ? "squeeze(" + name_of_input(q.op, longer) + ") drops its last size of 1"
                     : "unsqueeze(" + name_of_input(q.op, shorter) + ") gives it a last size of 1");
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i] && a[i] != 1 && b[i] != 1) {
            return ": " + std::to_string(a[i]) + " against " + std::to_string(b[i]);
        }
    }
    return {};
}

// Of an input that does not line up with those before it: then there is one among them that it does not line up with.
Misfit misfit_at(const Question& q, std::size_t number, LastSize last = LastSize::kPairs) {
    std::size_t other = 0;
    while (other + 1 < number && quarrel(q, other, number, last).empty()) {
        ++other;
    }
    const auto is = [&](std::size_t i) { return name_of_input(q.op, i) + " is " + q.symbols.text(q.in[i]); };
    return {is(other) + " and " + is(number) + ", which do not line up" + quarrel(q, other, number, last),
            static_cast<int>(other), static_cast<int>(number)};
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
    Outcome out = align_all(q);
    if (auto* type = std::get_if<Type>(&out)) {
        type->kind = kind;
    }
    return out;
}

Outcome where(const Question& q) {
    Outcome out = align_all(q);
    if (auto* type = std::get_if<Type>(&out)) {
        type->kind = arithmetic_kind(q.in.subspan(1));
    }
    return out;
}

// The position in dims that an axis counted from the end (-1) means, among sizes only.
std::variant<std::size_t, Misfit> size_at(const Question& q, const Type& type, std::int64_t axis) {
    const auto sizes = static_cast<std::int64_t>(type.sizes().size());
    if (axis >= 0 || -axis > sizes) {
        return Misfit{"axis " + std::to_string(axis) + " is not there: " + q.text(0) + ", has " +
                          (sizes == 0 ? "no size" : std::to_string(sizes) + " size(s)") +
                          " besides its leading dimensions, counted from -1 at the end",
                      0};
    }
    return static_cast<std::size_t>(static_cast<std::int64_t>(type.dims.size()) + axis);
}

Outcome reduce(const Question& q, Kind kind) {
    auto at = size_at(q, q.in[0], int_attribute(q.node, "axis"));
    if (auto* misfit = std::get_if<Misfit>(&at)) {
        return *misfit;
    }
    Type out = q.in[0];
    out.dims.erase(out.dims.begin() + static_cast<std::ptrdiff_t>(std::get<std::size_t>(at)));
    out.kind = kind;
    return out;
}

Outcome gather(const Question& q) {
    const Type& x = q.in[0];
    const Type& index = q.in[1];
    if (x.sizes().empty()) {
        return Misfit{"there is nothing to choose from: this is " + q.text(0), 0};
    }
    Type row = x;
    row.dims.pop_back();
    row.kind = index.kind;
    std::optional<Type> out = align(row, index);
    if (!out) {
        return Misfit{"an index of " + q.symbols.text(index) + " does not choose from " + q.symbols.text(x) +
                          "; it wants one index for each " + q.symbols.text(row),
                      0, 1};
    }
    out->kind = x.kind;
    return std::move(*out);
}

Outcome one_hot(const Question& q) {
    Type out = q.in[0];
    out.kind = Kind::kReal;
    out.dims.push_back(int_attribute(q.node, "n"));
    return out;
}

Outcome concat(const Question& q) {
    Type out = q.in[0];
    Dim total = 0;
    for (std::size_t i = 0; i < q.in.size(); ++i) {
        Type a = q.in[i];
        if (a.sizes().empty()) {
            return Misfit{"it joins along the last size, and this is " + q.text(i) + "; unsqueeze it first",
                          static_cast<int>(i)};
        }
        total += a.dims.back();
        a.dims.back() = 1;
        Type b = out;
        b.dims.back() = 1;
        std::optional<Type> both = align(b, a);
        if (!both) {
            return misfit_at(q, i, LastSize::kJoined);
        }
        out = std::move(*both);
    }
    out.dims.back() = total;
    out.kind = arithmetic_kind(q.in);
    return out;
}

Outcome slice(const Question& q) {
    if (q.in[0].sizes().empty()) {
        return Misfit{"it cuts along the last size, and this is " + q.text(0), 0};
    }
    Type out = q.in[0];
    const std::int64_t start = int_attribute(q.node, "start");
    const std::int64_t length = int_attribute(q.node, "length");
    if (start < 0 || length < 1 || start + length > out.dims.back()) {
        return Misfit{"elements " + std::to_string(start) + " to " + std::to_string(start + length) +
                          " are not all in " + q.text(0),
                      0};
    }
    out.dims.back() = length;
    return out;
}

Outcome pad(const Question& q) {
    Type out = q.in[0];
    out.dims.back() = int_attribute(q.node, "width");
    return out;
}

Outcome unsqueeze(const Question& q) {
    Type out = q.in[0];
    const std::int64_t axis = int_attribute(q.node, "axis");
    const auto sizes = static_cast<std::int64_t>(out.sizes().size());
    if (axis >= 0 || -axis > sizes + 1) {
        return Misfit{"a new size cannot stand at axis " + std::to_string(axis) + " of " + q.text(0), 0};
    }
    out.dims.insert(out.dims.end() + static_cast<std::ptrdiff_t>(axis + 1), 1);
    return out;
}

Outcome squeeze(const Question& q) {
    auto at = size_at(q, q.in[0], int_attribute(q.node, "axis"));
    if (auto* misfit = std::get_if<Misfit>(&at)) {
        return *misfit;
    }
    Type out = q.in[0];
    const auto position = static_cast<std::ptrdiff_t>(std::get<std::size_t>(at));
    if (out.dims[static_cast<std::size_t>(position)] != 1) {
        return Misfit{"only a size of 1 can be dropped, and this is " + q.text(0), 0};
    }
    out.dims.erase(out.dims.begin() + position);
    return out;
}

Outcome reshape(const Question& q) {
    const std::vector<std::int64_t>& shape = ints_attribute(q.node, "shape");
    Dim have = 1;
    Dim want = 1;
    for (const Dim size : q.in[0].sizes()) {
        have *= size;
    }
    for (const std::int64_t size : shape) {
        want *= size;
    }
    if (have != want || std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size < 1; })) {
        return Misfit{"the sizes of " + q.text(0) + " hold " + std::to_string(have) + " elements and the new ones " +
                          std::to_string(want),
                      0};
    }
    Type out{q.in[0].kind, {}};
    out.dims.assign(q.in[0].symbols().begin(), q.in[0].symbols().end());
    out.dims.insert(out.dims.end(), shape.begin(), shape.end());
    return out;
}

Outcome transpose(const Question& q) {
    Type out = q.in[0];
    if (out.sizes().size() < 2) {
        return Misfit{"it exchanges the last two sizes, and this is " + q.text(0), 0};
    }
    std::swap(out.dims[out.dims.size() - 1], out.dims[out.dims.size() - 2]);
    return out;
}

Outcome linear(const Question& q) {
    const Type& x = q.in[0];
    const Type& weight = q.in[1];
    if (weight.sizes().size() != 2) {
        return Misfit{"the weight must be [out, in], and this is " + q.text(1), 1};
    }
    if (x.sizes().empty() || x.sizes().back() != weight.sizes()[1]) {
        return Misfit{
            q.text(0) + ", does not fit " + q.text(1) + ": the last size of the one must be the last of the other", 0,
            1};
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

Outcome scan_linear(const Question& q) {
    if (!q.in[1].has(kTime)) {
        return Misfit{"it runs over time, and this is " + q.text(1), 1};
    }
    return aligned(q, Kind::kReal);
}

Outcome at_time(const Question& q) {
    Type out = q.in[0];
    if (!out.has(kTime)) {
        return Misfit{"it takes one step of a sequence, and this is " + q.text(0), 0};
    }
    std::erase(out.dims, kTime);
    return out;
}

Outcome cast(const Question& q) {
    Type out = q.in[0];
    const std::string& to = string_attribute(q.node, "to");
    if (to != "real" && to != "int" && to != "bool") {
        return Misfit{"there is no kind '" + to + "'; it is real, int or bool"};
    }
    out.kind = to == "real" ? Kind::kReal : to == "int" ? Kind::kInt : Kind::kBool;
    return out;
}

Outcome same(const Question& q, Kind kind) {
    Type out = q.in[0];
    out.kind = kind;
    return out;
}

}  // namespace

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
        const auto& sizes = a.dims.empty() ? sb : sa;
        out.dims.insert(out.dims.end(), sizes.begin(), sizes.end());
        return out;
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

std::variant<Type, Misfit> infer(const OpDef& op, const Node& node, std::span<const Type> inputs, Symbols& symbols) {
    const Question q{op, node, inputs, symbols};
    switch (op.rule) {
        case Rule::kElementwise:
            return aligned(q, works_on_reals(op) ? Kind::kReal : arithmetic_kind(inputs));
        case Rule::kCompare:
        case Rule::kLogical:
            return aligned(q, Kind::kBool);
        case Rule::kWhere:
            return where(q);
        case Rule::kSame:
        case Rule::kRandom:
            return same(q, Kind::kReal);
        case Rule::kKeep:
            return same(q, inputs[0].kind);
        case Rule::kCast:
            return cast(q);
        case Rule::kReduce:
            return reduce(q, Kind::kReal);
        case Rule::kArgReduce:
            return reduce(q, Kind::kInt);
        case Rule::kReduceRows:
            return reduce_rows(q);
        case Rule::kMeanRows:
            return mean_rows(q);
        case Rule::kCountRows:
            return Type{};
        case Rule::kReduceMembers:
            return reduce_members(q);
        case Rule::kLeastMembers:
            return least_members(q);
        case Rule::kSpread:
            return spread(q, symbols);
        case Rule::kStack:
            return stack(q, symbols);
        case Rule::kPick:
            return pick(q);
        case Rule::kCollect:
            return collect(q);
        case Rule::kTranspose:
            return transpose(q);
        case Rule::kGather:
            return gather(q);
        case Rule::kOneHot:
            return one_hot(q);
        case Rule::kConcat:
            return concat(q);
        case Rule::kSlice:
            return slice(q);
        case Rule::kUnsqueeze:
            return unsqueeze(q);
        case Rule::kSqueeze:
            return squeeze(q);
        case Rule::kReshape:
            return reshape(q);
        case Rule::kLinear:
            return linear(q);
        case Rule::kConv2d:
            return conv2d(q);
        case Rule::kMaxPool2d:
            return max_pool2d(q);
        case Rule::kScanLinear:
            return scan_linear(q);
        case Rule::kAtTime:
            return at_time(q);
        case Rule::kLike:
            return Type{Kind::kReal, inputs.back().dims};
        case Rule::kPad:
            return pad(q);
        case Rule::kSpecial:
            break;
    }
    return Misfit{"it has no rule of shape"};
}

}  // namespace tenon::graph
