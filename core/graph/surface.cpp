// SPDX-License-Identifier: Apache-2.0
// The C functions that plugins call while they build. Each is the builder's method of the same name.
#include <span>

#include "graph/builder.hpp"

namespace tenon::graph {
namespace {

Builder& builder(tn_graph* graph) {
    return *reinterpret_cast<Builder*>(graph);
}

std::uint32_t find_op_c(tn_graph* graph, const char* name, std::uint32_t revision) {
    return builder(graph).find(name, revision);
}

tn_status emit_c(tn_graph* graph, const tn_node* node) {
    return builder(graph).emit(*node);
}

tn_status type_of_c(tn_graph* graph, tn_value value, tn_type* type) {
    return builder(graph).type_of(value, *type);
}

tn_status spec_of_c(tn_graph* graph, tn_str key, std::int32_t optional, const tn_source* source, const tn_spec** spec) {
    return builder(graph).spec_of({key.data, key.size}, optional != 0, source, spec);
}

tn_status region_begin_c(tn_graph* graph, const tn_node* node, tn_value* body, std::uint32_t capacity) {
    return builder(graph).region_begin(*node, {body, capacity});
}

tn_status region_end_c(tn_graph* graph, const tn_value* results, std::uint32_t count, tn_value* out,
                       std::uint32_t capacity) {
    return builder(graph).region_end({results, count}, {out, capacity});
}

tn_status peek_c(tn_graph* graph, tn_value value, double* data, std::uint64_t capacity, std::uint64_t* count) {
    return builder(graph).peek(value, {data, capacity}, *count);
}

tn_status actions_c(tn_graph* graph, const tn_spec* const** list, std::uint32_t* count) {
    return builder(graph).actions(list, *count);
}

constexpr tn_graph_api kSurface{.struct_size = sizeof(tn_graph_api),
                                .flags = 0,
                                .find_op = find_op_c,
                                .emit = emit_c,
                                .type_of = type_of_c,
                                .spec_of = spec_of_c,
                                .region_begin = region_begin_c,
                                .region_end = region_end_c,
                                .peek = peek_c,
                                .actions = actions_c};

}  // namespace

const tn_graph_api& graph_surface() {
    return kSurface;
}

tn_graph* handle_of(Builder& builder) {
    return reinterpret_cast<tn_graph*>(&builder);
}

}  // namespace tenon::graph
