// SPDX-License-Identifier: Apache-2.0
// Authors in C, who call the builder directly. Their functions are lambdas of the test.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "compute/graph/context.hpp"

namespace tenon::test {

inline constexpr unsigned kLineInC = 77;  // of every node

inline tn_attribute attribute_in_c(const char* key, std::int32_t kind) {
    tn_attribute out{};
    out.struct_size = sizeof out;
    out.kind = kind;
    out.key = {key, std::char_traits<char>::length(key)};
    return out;
}
inline tn_attribute int_in_c(const char* key, std::int64_t value) {
    tn_attribute out = attribute_in_c(key, TN_ATTRIBUTE_INT);
    out.integer = value;
    return out;
}
inline tn_attribute real_in_c(const char* key, double value) {
    tn_attribute out = attribute_in_c(key, TN_ATTRIBUTE_FLOAT);
    out.real = value;
    return out;
}
inline tn_attribute text_in_c(const char* key, std::string_view value) {
    tn_attribute out = attribute_in_c(key, TN_ATTRIBUTE_STRING);
    out.text = {value.data(), value.size()};
    return out;
}
inline tn_attribute texts_in_c(const char* key, const std::vector<tn_str>& value) {
    tn_attribute out = attribute_in_c(key, TN_ATTRIBUTE_STRINGS);
    out.texts = value.data();
    out.count = value.size();
    return out;
}
inline tn_attribute ints_in_c(const char* key, const std::vector<std::int64_t>& value) {
    tn_attribute out = attribute_in_c(key, TN_ATTRIBUTE_INTS);
    out.integers = value.data();
    out.count = value.size();
    return out;
}

// The surface of one build, with helpers for its calls.
struct InC {
    const tn_build_args& args;

    [[nodiscard]] static const tn_source& source() {
        static const tn_source kSource{.file = "author.c", .function = "build", .line = kLineInC, .column = 5};
        return kSource;
    }
    [[nodiscard]] tn_node node(const char* op, std::uint32_t revision = 1) const {
        tn_node out{};
        out.struct_size = sizeof out;
        out.op = args.api->find_op(args.graph, op, revision);
        out.source = &source();
        return out;
    }

    // The only result; 0 if the node was refused or has none.
    tn_value emit(const char* op, const std::vector<tn_value>& in,
                  const std::vector<tn_attribute>& attributes = {}) const {
        return emit_many(op, in, attributes, 1).front();
    }
    std::vector<tn_value> emit_many(const char* op, const std::vector<tn_value>& in,
                                    const std::vector<tn_attribute>& attributes, std::size_t results,
                                    std::uint32_t revision = 1) const {
        tn_node one = node(op, revision);
        const std::vector<const tn_attribute*> pointers = pointers_to(attributes);
        std::vector<tn_value> out(results);
        fill(one, in, pointers);
        one.out = out.data();
        one.out_capacity = static_cast<std::uint32_t>(out.size());
        args.api->emit(args.graph, &one);
        return out;
    }
    tn_value column(const char* key) const { return emit("column", {}, {text_in_c("key", key)}); }
    tn_value number(double value) const { return emit("constant", {}, {real_in_c("value", value)}); }

    // The values inside.
    std::vector<tn_value> begin(const char* op, const std::vector<tn_value>& in,
                                const std::vector<tn_attribute>& attributes = {}, std::uint32_t revision = 1) const {
        tn_node one = node(op, revision);
        const std::vector<const tn_attribute*> pointers = pointers_to(attributes);
        fill(one, in, pointers);
        std::vector<tn_value> body(in.size(), 99);
        args.api->region_begin(args.graph, &one, body.data(), static_cast<std::uint32_t>(body.size()));
        return body;
    }
    std::vector<tn_value> end(const std::vector<tn_value>& results) const {
        std::vector<tn_value> out(results.size(), 99);
        args.api->region_end(args.graph, results.data(), static_cast<std::uint32_t>(results.size()), out.data(),
                             static_cast<std::uint32_t>(out.size()));
        return out;
    }

private:
    static std::vector<const tn_attribute*> pointers_to(const std::vector<tn_attribute>& attributes) {
        std::vector<const tn_attribute*> out;
        for (const tn_attribute& each : attributes) {
            out.push_back(&each);
        }
        return out;
    }
    static void fill(tn_node& one, const std::vector<tn_value>& in,
                     const std::vector<const tn_attribute*>& attributes) {
        one.in = in.data();
        one.in_count = static_cast<std::uint32_t>(in.size());
        one.attributes = attributes.data();
        one.attribute_count = static_cast<std::uint32_t>(attributes.size());
    }
};

// A component with one function. It must not move while its unit is used.
class AuthorInC {
public:
    using Body = std::function<void(const InC&)>;

    explicit AuthorInC(Body body, const char* name = "update", const char* inputs = "", const char* outputs = "")
        : body_(std::move(body)), function_{sizeof(tn_function), 0, name, inputs, outputs} {}
    AuthorInC(const AuthorInC&) = delete;
    AuthorInC& operator=(const AuthorInC&) = delete;

    [[nodiscard]] graph::Unit unit(std::string role = "objective") {
        static constexpr tn_graph_component_api kApi{
            .struct_size = sizeof(tn_graph_component_api), .flags = 0, .functions = nullptr, .build = build};
        graph::Unit out;
        out.role = std::move(role);
        out.component = "test/in_c";
        out.api = &kApi;
        out.self = this;
        out.functions = {&function_};
        return out;
    }

private:
    static tn_status build(void* self, const tn_build_args* args) {
        static_cast<AuthorInC*>(self)->body_(InC{*args});
        return TN_OK;
    }

    Body body_;
    tn_function function_;
};

}  // namespace tenon::test
