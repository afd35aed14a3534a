// SPDX-License-Identifier: Apache-2.0
// The C functions that plugins call while they build. Each checks the pointers and calls the builder's method of the
// same name. No exception of the host reaches the plugin.
#include <algorithm>

#include "compute/graph/builder.hpp"
#include "compute/graph/fields.hpp"
#include "compute/graph/limits.hpp"

namespace tenon::graph {
namespace {

using fields::is_readable;

// The builder throws only if it runs out of memory.
void give_up(Builder& builder) noexcept {
    try {
        builder.give_up();
    } catch (...) {  // no memory for the sentence; the builder is marked as failed all the same
        return;
    }
}

// Calls f with the builder of the current function.
template <class F>
tn_status with(tn_graph* graph, F f) noexcept {
    Builder* const builder = Builder::current();
    if (builder == nullptr || builder->has_given_up()) {
        return TN_FAILED_PRECONDITION;
    }
    try {
        const tn_status status = handle_of(*builder) == graph
                                     ? f(*builder)
                                     : builder->refuse(
                                           "it calls the builder with a graph other than the one it was "
                                           "asked to build");
        builder->keep_untold();
        return status;
    } catch (...) {
        give_up(*builder);
        return TN_OUT_OF_MEMORY;
    }
}

std::string unreadable(std::string_view function, std::uint64_t count, std::string_view what) {
    return std::string(function) + " was given " + std::to_string(count) + " " + std::string(what) +
           ", which are null or more than " + std::to_string(kMostCount);
}

void clear(tn_value* out, std::uint32_t count) noexcept {
    if (is_readable(out, count)) {
        std::fill_n(out, count, 0U);
    }
}

std::uint32_t find_op_c(tn_graph* graph, const char* name, std::uint32_t revision) noexcept {
    std::uint32_t found = 0;
    with(graph, [&](Builder& builder) {
        found = builder.find(name, revision);
        return TN_OK;
    });
    return found;
}

tn_status emit_c(tn_graph* graph, const tn_node* node) noexcept {
    if (node != nullptr && fields::inside(*node, &tn_node::out_capacity)) {
        clear(node->out, node->out_capacity);
    }
    return with(graph, [&](Builder& builder) {
        return node == nullptr ? builder.refuse("emit got null instead of a node") : builder.emit(*node);
    });
}

tn_status type_of_c(tn_graph* graph, tn_value value, tn_type* type) noexcept {
    return with(graph, [&](Builder& builder) {
        return type == nullptr ? builder.refuse("type_of got null instead of a type") : builder.type_of(value, *type);
    });
}

tn_status spec_of_c(tn_graph* graph, tn_str key, std::int32_t optional, const tn_source* source,
                    const tn_spec** spec) noexcept {
    return with(graph, [&](Builder& builder) {
        if (!is_readable(key.data, key.size) || spec == nullptr) {
            return builder.refuse("spec_of was given a key or a place for the spec that is null");
        }
        return builder.spec_of({key.data, key.size}, optional != 0, source, spec);
    });
}

tn_status region_begin_c(tn_graph* graph, const tn_node* node, tn_value* body, std::uint32_t capacity) noexcept {
    clear(body, capacity);
    return with(graph, [&](Builder& builder) {
        if (node == nullptr) {
            return builder.refuse("region_begin got null instead of a node");
        }
        return is_readable(body, capacity) ? builder.region_begin(*node, {body, capacity})
                                           : builder.refuse(unreadable("region_begin", capacity, "places for values"));
    });
}

tn_status region_end_c(tn_graph* graph, const tn_value* results, std::uint32_t count, tn_value* out,
                       std::uint32_t capacity) noexcept {
    clear(out, capacity);
    return with(graph, [&](Builder& builder) {
        if (!is_readable(results, count)) {
            return builder.refuse(unreadable("region_end", count, "results"));
        }
        return is_readable(out, capacity) ? builder.region_end({results, count}, {out, capacity})
                                          : builder.refuse(unreadable("region_end", capacity, "places for outputs"));
    });
}

// No graph is computed while it is built.
tn_status peek_c(tn_graph* graph, tn_value /*value*/, double* data, std::uint64_t capacity,
                 std::uint64_t* count) noexcept {
    return with(graph, [&](Builder& builder) -> tn_status {
        return count == nullptr || (data == nullptr && capacity > 0)
                   ? builder.refuse("peek got null instead of the numbers or of their count")
                   : TN_UNAVAILABLE;
    });
}

tn_status actions_c(tn_graph* graph, const tn_spec* const** list, std::uint32_t* count) noexcept {
    return with(graph, [&](Builder& builder) {
        return list == nullptr || count == nullptr ? builder.refuse("actions got null instead of the list")
                                                   : builder.actions(list, *count);
    });
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
