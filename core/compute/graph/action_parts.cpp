// SPDX-License-Identifier: Apache-2.0
// Treats an action of several columns, such as "action.move" and "action.dial", as one. A reader of "action" gets a row
// of real numbers with the elements of all columns, and such a row is cut into the columns. So objectives pass on an
// action of several columns like one of a single column.
#include <utility>

#include "compute/graph/builder.hpp"

namespace tenon::graph {

// The columns of the action in their order; none if there is a column with this key itself.
std::vector<const Column*> Builder::action_parts(std::string_view key) const {
    std::vector<const Column*> out;
    for (const Column& column : *context_.columns) {
        const std::string_view at = column.spec.key;
        const bool continues = at.size() > key.size() + 1 && at.starts_with(key) && at[key.size()] == '.';
        if (continues && column.spec.role == Role::kAction) {
            out.push_back(&column);
        }
    }
    return out;
}

Builder::Values Builder::joined_action(const std::vector<const Column*>& parts, std::uint32_t source) {
    Draft all{&op_of(OpId::kConcat_1), {}, {}, source};
    for (const Column* part : parts) {
        const ValueId value = read(*part, source);
        if (value == 0) {
            return Values(1);
        }
        const ValueId real = node(OpId::kCast_1, {value}, source, {{"to", std::string("real")}});
        const std::vector<std::int64_t> flat = {part->spec.shape.elements()};
        all.inputs.push_back(node(OpId::kReshape_1, {real}, source, {{"shape", flat}}));
    }
    return all.inputs.size() == 1 ? Values{all.inputs.front()} : add(std::move(all));
}

std::vector<Named> Builder::cut_action(std::string_view key, ValueId row) {
    if (row == 0) {
        return {};
    }
    const std::vector<const Column*> parts = action_parts(key);
    std::int64_t size = 0;
    for (const Column* part : parts) {
        size += part->spec.shape.elements();
    }
    const Type type = graph_.type(row);
    const auto sizes = type.sizes();
    if (sizes.size() != 1 || sizes.front() != size || type.kind != Kind::kReal) {
        return {};
    }
    std::vector<Named> out;
    std::int64_t first = 0;
    for (const Column* part : parts) {
        const std::int64_t length = part->spec.shape.elements();
        const auto extents = part->spec.shape.extents();
        const std::vector<std::int64_t> shape(extents.begin(), extents.end());
        const std::string to(name_of(type_of(part->spec).kind));
        ValueId value = node(OpId::kSlice_1, {row}, 0, {{"start", first}, {"length", length}});
        value = node(OpId::kReshape_1, {value}, 0, {{"shape", shape}});
        out.push_back({part->spec.key, node(OpId::kCast_1, {value}, 0, {{"to", to}})});
        first += length;
    }
    return out;
}

tn_status Builder::actions(const tn_spec* const** list, std::uint32_t& count) {
    actions_.clear();
    for (const Column& column : *context_.columns) {
        if (column.spec.role == Role::kAction && column.made_of.empty()) {
            actions_.push_back(&spec_of(column, column.spec.key, nullptr));
        }
    }
    *list = actions_.data();
    count = static_cast<std::uint32_t>(actions_.size());
    return TN_OK;
}

}  // namespace tenon::graph
