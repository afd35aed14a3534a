// SPDX-License-Identifier: Apache-2.0
#include "spaces.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "tenon/guard.hpp"

namespace hdf5 {
namespace {

std::optional<std::int32_t> stored_as(std::string_view dtype) {
    struct Stored {
        std::string_view name;
        std::int32_t dtype;
    };
    constexpr Stored kStored[] = {{"float16", TN_F32}, {"float32", TN_F32}, {"float64", TN_F64}, {"int8", TN_I32},
                                  {"int16", TN_I32},   {"int32", TN_I32},   {"int64", TN_I64},   {"uint8", TN_U8},
                                  {"uint16", TN_I32},  {"uint32", TN_I64},  {"uint64", TN_I64},  {"bool", TN_BOOL}};
    const auto* const found = std::ranges::find(kStored, dtype, &Stored::name);
    return found == std::end(kStored) ? std::nullopt : std::optional(found->dtype);
}

std::vector<std::int64_t> integers(const Json* json) {
    std::vector<std::int64_t> out;
    for (const double number : json == nullptr ? std::vector<double>() : json->numbers()) {
        out.push_back(static_cast<std::int64_t>(number));
    }
    return out;
}

std::string text_of(const Json& space, std::string_view key) {
    const Json* const found = space.find(key);
    return found == nullptr || found->text() == nullptr ? "" : *found->text();
}

void leave_out(Parts& out, const std::string& key, const std::string& why) {
    out.left_out.push_back("'" + key + "', because " + why);
}

// Keys of columns have letters, digits, '_' and '-' between dots.
bool is_part_of_key(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

void add_box(const Json& space, const std::string& key, Part part, Parts& out) {
    const std::optional<std::int32_t> dtype = stored_as(text_of(space, "dtype"));
    if (!dtype) {
        leave_out(out, key, "its elements are of type '" + text_of(space, "dtype") + "'");
        return;
    }
    const auto bounds = [&](std::string_view name) {
        const Json* const found = space.find(name);
        return found == nullptr ? std::vector<double>() : found->numbers();
    };
    const std::vector<double> low = bounds("low");
    const std::vector<double> high = bounds("high");
    tenon::Spec spec = tenon::unbounded(key, integers(space.find("shape")), *dtype);
    const auto finite = [](double bound) { return std::isfinite(bound); };
    if (*dtype == TN_BOOL) {
        spec.kind = TN_SPEC_BINARY;
    } else if (std::ranges::any_of(low, finite) || std::ranges::any_of(high, finite)) {
        spec.kind = TN_SPEC_BOUNDED;
        spec.low = low;
        spec.high = high;
    }
    part.spec = std::move(spec);
    out.columns.push_back(std::move(part));
}

// Below: spaces from columns.

struct Node {
    std::string name;
    Part* leaf = nullptr;
    std::vector<Node> children;
};

void insert(Node& node, std::string_view rest, Part& part) {
    const std::size_t dot = rest.find('.');
    const std::string name(rest.substr(0, dot));
    auto child = std::ranges::find(node.children, name, &Node::name);
    if (child == node.children.end()) {
        node.children.push_back({.name = name, .leaf = nullptr, .children = {}});
        child = node.children.end() - 1;
    }
    if (dot == std::string_view::npos) {
        child->leaf = &part;
    } else {
        insert(*child, rest.substr(dot + 1), part);
    }
}

std::string nested(const std::vector<std::int64_t>& shape, std::size_t depth, std::size_t& at,
                   const std::function<std::string(std::size_t)>& element) {
    if (depth == shape.size()) {
        return element(at++);
    }
    std::string out = "[";
    for (std::int64_t i = 0; i < shape[depth]; ++i) {
        out += (i == 0 ? "" : ", ") + nested(shape, depth + 1, at, element);
    }
    return out + "]";
}

std::string lists(const std::vector<std::int64_t>& shape, const std::function<std::string(std::size_t)>& element) {
    std::size_t at = 0;
    return nested(shape, 0, at, element);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string out;
    for (const std::int64_t extent : shape) {
        out += (out.empty() ? "" : ", ") + std::to_string(extent);
    }
    return "[" + out + "]";
}

std::string box(const tenon::Spec& spec) {
    const bool whole = spec.dtype != TN_F32 && spec.dtype != TN_F64;
    // Gymnasium's integers have no infinite bounds; 2^62 is an integer that a double holds.
    constexpr double kWide = 4611686018427387904.0;
    const double widest = spec.dtype == TN_U8    ? 255
                          : spec.dtype == TN_I32 ? std::numeric_limits<std::int32_t>::max()
                          : spec.dtype == TN_I64 ? kWide
                                                 : std::numeric_limits<double>::infinity();
    const auto bound = [&](const std::vector<double>& bounds, double otherwise) {
        return lists(spec.shape, [&, otherwise](std::size_t i) {
            const double given = bounds.empty() ? otherwise : bounds[bounds.size() == 1 ? 0 : i];
            const double limited = whole && std::isinf(given) ? otherwise : given;
            return number_text(spec.dtype == TN_F32 ? static_cast<double>(static_cast<float>(limited)) : limited,
                               whole);
        });
    };
    return R"({"type": "Box", "dtype": ")" + std::string(tenon::dtype_name(spec.dtype)) + R"(", "shape": )" +
           shape_text(spec.shape) + R"(, "low": )" + bound(spec.low, spec.dtype == TN_U8 ? 0 : -widest) +
           R"(, "high": )" + bound(spec.high, widest) + "}";
}

std::string multi_discrete(const tenon::Spec& spec) {
    const auto count = [&](std::size_t i) {
        return std::to_string(spec.categories[spec.categories.size() == 1 ? 0 : i % spec.categories.size()]);
    };
    return R"({"type": "MultiDiscrete", "dtype": "int64", "nvec": )" + lists(spec.shape, count) + R"(, "start": )" +
           lists(spec.shape, [](std::size_t) { return std::string("0"); }) + "}";
}

std::string space_of_leaf(const tenon::Spec& spec) {
    const bool is_index = spec.kind == TN_SPEC_CATEGORICAL || spec.kind == TN_SPEC_MULTI_CATEGORICAL;
    if (is_index && !spec.shape.empty()) {
        return multi_discrete(spec);
    }
    if (is_index || (spec.dtype == TN_BOOL && spec.shape.empty())) {
        const std::int64_t count = is_index ? spec.categories.front() : 2;
        return R"({"type": "Discrete", "dtype": "int64", "start": 0, "n": )" + std::to_string(count) + "}";
    }
    if (spec.dtype == TN_BOOL) {
        const std::string n = spec.shape.size() == 1 ? std::to_string(spec.shape.front()) : shape_text(spec.shape);
        return R"({"type": "MultiBinary", "n": )" + n + "}";
    }
    return box(spec);
}

std::string space_of_node(Node& node, const std::string& path) {
    if (node.leaf != nullptr) {
        node.leaf->path = path;
        return space_of_leaf(node.leaf->spec);
    }
    bool is_tuple = true;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        is_tuple = is_tuple && node.children[i].name == std::to_string(i);
    }
    std::string parts;
    for (Node& child : node.children) {
        parts += parts.empty() ? "" : ", ";
        parts += is_tuple ? "" : json_text(child.name) + ": ";
        parts += space_of_node(child, path + (is_tuple ? "/_index_" : "/") + child.name);
    }
    return is_tuple ? R"({"type": "Tuple", "subspaces": [)" + parts + "]}"
                    : R"({"type": "Dict", "subspaces": {)" + parts + "}}";
}

}  // namespace

void add_parts(const Json& space, const std::string& key, const std::string& path, std::int32_t role, Parts& out) {
    const std::string type = text_of(space, "type");
    const Json* const inner = space.find("subspaces");
    Part part{.spec = {}, .path = path, .start = {}};
    if (type == "Box") {
        add_box(space, key, std::move(part), out);
    } else if (type == "Discrete") {
        const std::vector<std::int64_t> choices = integers(space.find("n"));
        part.spec = tenon::categorical(key, choices.empty() ? 0 : choices.front());
        part.start = integers(space.find("start"));
        out.columns.push_back(std::move(part));
    } else if (type == "MultiDiscrete") {
        part.spec = tenon::multi_categorical(key, integers(space.find("nvec")));
        part.start = integers(space.find("start"));
        out.columns.push_back(std::move(part));
    } else if (type == "MultiBinary") {
        part.spec = tenon::binary(key, integers(space.find("n")));
        out.columns.push_back(std::move(part));
    } else if (type == "Dict" && inner != nullptr && inner->members() != nullptr) {
        for (const auto& [name, each] : *inner->members()) {
            if (is_part_of_key(name)) {
                add_parts(each, key + "." + name, path + "/" + name, role, out);
            } else {
                leave_out(out, key + "." + name, "its name is no key of a column");
            }
        }
    } else if (type == "Tuple" && inner != nullptr && inner->list() != nullptr) {
        for (std::size_t i = 0; i < inner->list()->size(); ++i) {
            const std::string number = std::to_string(i);
            add_parts((*inner->list())[i], key + "." + number, path + "/_index_" + number, role, out);
        }
    } else if (type == "Text") {
        leave_out(out, key, "it is text");
    } else {
        leave_out(out, key, "its space has the type '" + type + "'");
    }
    for (Part& each : out.columns) {
        each.spec.role = each.spec.role == 0 ? role : each.spec.role;
    }
}

std::string space_of(std::vector<Part>& columns, std::int32_t role, std::string_view root, const std::string& path) {
    Node top;
    for (Part& part : columns) {
        if (part.spec.role != role) {
            continue;
        }
        std::string_view key = part.spec.key;
        if (key == root) {
            top.leaf = &part;
            continue;
        }
        const bool below = key.starts_with(root) && key.substr(root.size()).starts_with('.');
        insert(top, below ? key.substr(root.size() + 1) : key, part);
    }
    if (top.leaf != nullptr && !top.children.empty()) {  // next to others, "observation" is a part with that name
        insert(top, root, *top.leaf);
        top.leaf = nullptr;
    }
    if (top.leaf == nullptr && top.children.empty()) {
        throw tenon::InvalidArgument("there is no column for the " + std::string(root) + " space");
    }
    return space_of_node(top, path);
}

}  // namespace hdf5
