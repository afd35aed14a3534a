// SPDX-License-Identifier: Apache-2.0
// Structs and pointers that a plugin passes to the builder and that cannot be read.
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "wrong_in_c.hpp"

namespace hostile_structs_test {

using Catch::Matchers::ContainsSubstring;
using namespace tenon;
using namespace tenon::test;

namespace {

// A node that somebody changes before it is added.
AuthorInC::Body with_node(void (*change)(tn_node&)) {
    return [change](const InC& c) {
        tn_value out[2] = {5, 5};
        tn_node node = c.node("exp");
        node.out = out;
        node.out_capacity = 2;
        change(node);
        CHECK(c.args.api->emit(c.args.graph, &node) == TN_INVALID_ARGUMENT);
    };
}

AuthorInC::Body with_attribute(void (*change)(tn_attribute&), const char* op = "reshape", const char* key = "shape",
                               std::int32_t kind = TN_ATTRIBUTE_INTS) {
    return [change, op, key, kind](const InC& c) {
        tn_attribute attribute = attribute_in_c(key, kind);
        change(attribute);
        c.emit(op, op == std::string_view("reshape") ? std::vector{c.column("observation")} : std::vector<tn_value>{},
               {attribute});
    };
}

}  // namespace

TEST_CASE("structs that are not as they must be are refused") {
    check_refused(
        {{"a node of no size", with_node([](tn_node& node) { node.struct_size = 3; }),
          "a node: it is a tn_node of struct_size 3", false},
         {"a node of an absurd size", with_node([](tn_node& node) { node.struct_size = 0xFFFFFFF0U; }),
          "exp: it is a tn_node of struct_size 4294967280, but this host knows 56"},
         {"null inputs", with_node([](tn_node& node) { node.in_count = 3; }),
          "exp: it has 3 inputs, but their address is null"},
         {"too many inputs", with_node([](tn_node& node) { node.in_count = 0xFFFFFFFFU; }),
          "exp: it has 4294967295 inputs; the maximum is 65536"},
         {"null attributes", with_node([](tn_node& node) { node.attribute_count = 2; }),
          "exp: it has 2 attributes, but their address is null"},
         {"a null attribute", with_node([](tn_node& node) {
              static const tn_attribute* const kNull[1] = {nullptr};
              node.attributes = kNull;
              node.attribute_count = 1;
          }),
          "exp: one of its attributes is null"},
         {"null results", with_node([](tn_node& node) { node.out = nullptr; }),
          "exp: it has 2 places for results, but their address is null"},
         {"room for 2^32 results", with_node([](tn_node& node) { node.out_capacity = 0xFFFFFFFFU; }),
          "exp: it has 4294967295 places for results"},
         {"a value of nobody's", with_node([](tn_node& node) {
              static const tn_value kValue[1] = {4711};
              node.in = kValue;
              node.in_count = 1;
          }),
          "exp: an input is not a value of this graph"},
         {"an op that find_op did not give", with_node([](tn_node& node) { node.op = 100000; }),
          "the op number 100000 does not come from find_op"},
         {"an op without a name",
          [](const InC& c) {
              CHECK(c.args.api->find_op(c.args.graph, nullptr, 1) == 0);
              c.emit("", {});
          },
          "this host (ABI 0.1) has no op '' of revision 1"},
         {"an attribute of no size", with_attribute([](tn_attribute& a) { a.struct_size = 8; }),
          "reshape: one of its attributes is a tn_attribute of struct_size 8"},
         {"an attribute of another kind", with_attribute([](tn_attribute& a) { a.kind = 77; }),
          "reshape: the attribute 'shape' is of kind 77, which this host does not know"},
         {"integers at null", with_attribute([](tn_attribute& a) { a.count = 4; }),
          "reshape: the attribute 'shape' has 4 integers, but their address is null"},
         {"2^62 integers", with_attribute([](tn_attribute& a) {
              static const std::int64_t kOne = 1;
              a.integers = &kOne;
              a.count = std::uint64_t{1} << 62;
          }),
          "reshape: the attribute 'shape' has 4611686018427387904 integers; the maximum is "
          "65536"},
         {"texts at null", with_attribute([](tn_attribute& a) { a.count = 1; }, "stage", "owns", TN_ATTRIBUTE_STRINGS),
          "stage: the attribute 'owns' has 1 texts, but their address is null"},
         {"a text of texts at null",
          with_attribute(
              [](tn_attribute& a) {
                  static const tn_str kNull{nullptr, 5};
                  a.texts = &kNull;
                  a.count = 1;
              },
              "stage", "owns", TN_ATTRIBUTE_STRINGS),
          "stage: text 0 of the attribute 'owns' has 5 characters, but its address is null"},
         {"a text at null",
          with_attribute([](tn_attribute& a) { a.text.size = 7; }, "column", "key", TN_ATTRIBUTE_STRING),
          "column: the attribute 'key' has 7 characters, but its address is null"},
         {"a text of 2^40 characters",
          with_attribute([](tn_attribute& a) { a.text = {"x", std::uint64_t{1} << 40}; }, "column", "key",
                         TN_ATTRIBUTE_STRING),
          "column: the attribute 'key' has 1099511627776 characters, but a text can have at most 65536"},
         {"a key at null", with_attribute([](tn_attribute& a) { a.key = {nullptr, 9}; }),
          "reshape: the key of an attribute has 9 characters, but its address is null"},
         {"an attribute twice",
          [](const InC& c) { c.emit("one_hot", {c.column("action")}, {int_in_c("n", 2), int_in_c("n", 3)}); },
          "one_hot: attribute 'n' is given twice"},
         {"an attribute left out", [](const InC& c) { c.emit("one_hot", {c.column("action")}); },
          "one_hot needs the attribute 'n'"},
         {"inputs of what takes none",
          [](const InC& c) { c.emit("constant", {c.column("action")}, {real_in_c("value", 1)}); },
          "constant takes 0 inputs, but got 1"}},
        kRows);
}

TEST_CASE("pointers that are null are refused by every function of the surface") {
    check_refused(
        {{"emit", [](const InC& c) { CHECK(c.args.api->emit(c.args.graph, nullptr) == TN_INVALID_ARGUMENT); },
          "emit got null instead of a node", false},
         {"type_of", [](const InC& c) { c.args.api->type_of(c.args.graph, c.number(1), nullptr); },
          "type_of got null instead of a type", false},
         {"type_of into too little",
          [](const InC& c) {
              tn_type type{};
              type.struct_size = 8;
              c.args.api->type_of(c.args.graph, c.number(1), &type);
              CHECK(type.rank == 0);
          },
          "type_of was given a tn_type of struct_size 8, but this host knows 112", false},
         {"type_of into the 8 dimensions of an older header",
          [](const InC& c) {
              tn_value x = c.column("observation");
              tn_type type{};
              type.struct_size = 80;
              CHECK(c.args.api->type_of(c.args.graph, x, &type) == TN_OK);
              CHECK((type.rank == 2 && type.dim[1] == 4));
              for (int i = 0; i < 7; ++i) {
                  x = c.emit("unsqueeze", {x});
              }
              type.dim[8] = 77;
              CHECK(c.args.api->type_of(c.args.graph, x, &type) == TN_INVALID_ARGUMENT);
              CHECK((type.rank == 2 && type.dim[8] == 77));
              type.struct_size = sizeof type;
              CHECK(c.args.api->type_of(c.args.graph, x, &type) == TN_OK);
              CHECK(type.rank == 9);
          },
          "type_of was asked for real [B, 4, 1, 1, 1, 1, 1, 1, 1], but the plugin was built for values of 8 "
          "dimensions; "
          "build it with the SDK of this host",
          false},
         {"spec_of without a key",
          [](const InC& c) {
              const tn_spec* spec = nullptr;
              c.args.api->spec_of(c.args.graph, {nullptr, 4}, 0, nullptr, &spec);
          },
          "spec_of was given a key or a place for the spec that is null", false},
         {"spec_of without a place",
          [](const InC& c) { c.args.api->spec_of(c.args.graph, {"action", 6}, 0, nullptr, nullptr); },
          "spec_of was given a key or a place for the spec that is null", false},
         {"region_begin", [](const InC& c) { c.args.api->region_begin(c.args.graph, nullptr, nullptr, 0); },
          "region_begin got null instead of a node", false},
         {"region_begin without a body",
          [](const InC& c) {
              const tn_node node = c.node("composite");
              c.args.api->region_begin(c.args.graph, &node, nullptr, 3);
          },
          "region_begin was given 3 places for values, which are null or more than 65536", false},
         {"region_end", [](const InC& c) { c.args.api->region_end(c.args.graph, nullptr, 2, nullptr, 0); },
          "region_end was given 2 results, which are null or more than 65536", false},
         {"peek", [](const InC& c) { c.args.api->peek(c.args.graph, 1, nullptr, 0, nullptr); }, "peek got null", false},
         {"actions", [](const InC& c) { c.args.api->actions(c.args.graph, nullptr, nullptr); }, "actions got null",
          false},
         {"another graph",
          [](const InC& c) {
              int other = 0;
              const tn_node node = c.node("exp");
              CHECK(c.args.api->emit(reinterpret_cast<tn_graph*>(&other), &node) == TN_INVALID_ARGUMENT);
          },
          "it calls the builder with a graph other than the one it was asked to build", false}},
        kRows);
}

TEST_CASE("a build that runs out of memory ends with one sentence, and nothing is thrown into the plugin") {
    World world;
    Problems problems;
    const graph::Context context{.program = "update",
                                 .leading = kRows,
                                 .columns = &world.columns,
                                 .networks = &world.networks,
                                 .declare = [](const graph::ParameterRequest&) -> Status { throw std::bad_alloc(); },
                                 .take_error = [] { return std::string(); }};
    graph::Builder builder(context, problems);
    AuthorInC author([](const InC& c) {
        CHECK(c.emit("parameter", {}, {text_in_c("name", "w")}) == 0);
        CHECK(c.column("observation") == 0);
        tn_type type{};
        type.struct_size = sizeof type;
        CHECK(c.args.api->type_of(c.args.graph, 1, &type) == TN_FAILED_PRECONDITION);
    });
    builder.build(author.unit(), "update", {}, "train");
    CHECK(builder.failed());
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().fault == Fault::kEnvironment);
    CHECK_THAT(problems.front().sentence,
               ContainsSubstring("test/in_c, update: there is not enough memory for its graph"));
}

}  // namespace hostile_structs_test
