// SPDX-License-Identifier: Apache-2.0
#include "commands/export/onnx_graph.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "compute/exec/rows.hpp"

namespace tenon {
namespace {

template <class T>
std::string bytes_of(const T* values, std::size_t count) {
    std::string out(count * sizeof(T), '\0');
    if (count > 0) {
        std::memcpy(out.data(), values, out.size());
    }
    return out;
}

// For each dimension of `to` the one of `from` that it lines up with, or -1.
std::vector<std::ptrdiff_t> lined_up(const graph::Type& from, const graph::Type& to) {
    std::vector<std::ptrdiff_t> out(to.dims.size(), -1);
    for (std::size_t i = 0; i < from.dims.size(); ++i) {
        const graph::Dim dim = from.dims[i];
        const std::size_t at = dim < 0 ? static_cast<std::size_t>(std::ranges::find(to.dims, dim) - to.dims.begin())
                                       : to.dims.size() - (from.dims.size() - i);
        out[at] = static_cast<std::ptrdiff_t>(i);
    }
    return out;
}

}  // namespace

DType OnnxGraph::dtype_of(graph::Kind kind) const {
    return stored_as(kind, learner_.real);
}

std::int64_t OnnxGraph::size_of(graph::Dim dim) const {
    return graph::is_row(dim) ? 0 : tenon::size_of(dim, graph_, learner_, {});
}

std::vector<std::int64_t> OnnxGraph::sizes_of(const graph::Type& type) const {
    std::vector<std::int64_t> out;
    for (const graph::Dim dim : type.dims) {
        out.push_back(size_of(dim));
    }
    return out;
}

std::string OnnxGraph::node(std::string op, std::vector<std::string> inputs, std::vector<OnnxAttribute> attributes) {
    return add({std::move(op), std::move(inputs), {fresh()}, std::move(attributes)});
}

std::string OnnxGraph::add(OnnxNode node) {
    model.nodes.push_back(std::move(node));
    return model.nodes.back().outputs.front();
}

std::string OnnxGraph::constant(DType dtype, std::vector<std::int64_t> dims, std::string bytes) {
    const auto known = std::ranges::find_if(model.initialisers, [&](const OnnxTensor& have) {
        return have.name.starts_with("constant:") && have.dtype == dtype && have.dims == dims && have.bytes == bytes;
    });
    if (known != model.initialisers.end()) {
        return known->name;
    }
    std::string name = "constant:" + std::to_string(model.initialisers.size());
    tensor({name, dtype, std::move(dims), std::move(bytes)});
    return name;
}

std::string OnnxGraph::ints(std::vector<std::int64_t> values) {
    return constant(DType::kI64, {static_cast<std::int64_t>(values.size())}, bytes_of(values.data(), values.size()));
}

std::string OnnxGraph::whole(std::int64_t value) {
    return constant(DType::kI64, {}, bytes_of(&value, 1));
}

std::string OnnxGraph::number(double value) {
    const auto narrow = static_cast<float>(value);
    return constant(real(), {}, real() == DType::kF64 ? bytes_of(&value, 1) : bytes_of(&narrow, 1));
}

std::string OnnxGraph::cast(const std::string& name, DType to) {
    return node("Cast", {name}, {{"to", onnx_type(to)}});
}

std::string OnnxGraph::converted(const OnnxOperand& value, graph::Kind to) {
    return value.type.kind == to ? value.name : cast(value.name, dtype_of(to));
}

std::string OnnxGraph::aligned(const std::string& name, const graph::Type& from, const graph::Type& to) {
    std::vector<std::int64_t> inserted;
    std::int64_t at = 0;
    bool began = false;  // leading dimensions are broadcast implicitly
    for (const std::ptrdiff_t source : lined_up(from, to)) {
        began = began || source >= 0;
        if (began && source < 0) {
            inserted.push_back(at);
        }
        at += began ? 1 : 0;
    }
    return inserted.empty() ? name : node("Unsqueeze", {name, ints(std::move(inserted))});
}

// The number of rows is a dimension of each input.
std::string OnnxGraph::row_count() {
    if (rows_.empty()) {
        rows_ = node("Shape", {model.inputs.front().name}, {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}});
    }
    return rows_;
}

std::string OnnxGraph::expanded(const std::string& name, const graph::Type& from, const graph::Type& to) {
    const std::vector<std::ptrdiff_t> sources = lined_up(from, to);
    std::vector<std::int64_t> sizes;
    std::ptrdiff_t rows = -1;
    bool same = true;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const bool has = sources[i] >= 0 && from.dims[static_cast<std::size_t>(sources[i])] == to.dims[i];
        same = same && has;
        rows = !has && graph::is_row(to.dims[i]) ? static_cast<std::ptrdiff_t>(i) : rows;
        sizes.push_back(has ? 1 : size_of(to.dims[i]));
    }
    if (same) {
        return name;
    }
    std::string shape;
    if (rows < 0) {
        shape = ints(sizes);
    } else {
        std::vector<std::string> parts;
        if (rows > 0) {
            parts.push_back(ints({sizes.begin(), sizes.begin() + rows}));
        }
        parts.push_back(row_count());
        if (sizes.begin() + rows + 1 != sizes.end()) {
            parts.push_back(ints({sizes.begin() + rows + 1, sizes.end()}));
        }
        shape = node("Concat", std::move(parts), {{"axis", std::int64_t{0}}});
    }
    return node("Expand", {aligned(name, from, to), shape});
}

std::string OnnxGraph::permuted(const std::string& name, std::vector<std::int64_t> order) {
    return node("Transpose", {name}, {{"perm", std::move(order)}});
}

std::string OnnxGraph::moved(const std::string& name, std::size_t rank, std::size_t from, std::size_t to) {
    std::vector<std::int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), static_cast<std::int64_t>(from));
    return from == to ? name : permuted(name, std::move(order));
}

}  // namespace tenon
