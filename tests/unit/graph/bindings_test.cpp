// SPDX-License-Identifier: Apache-2.0
// Functions of networks on values in place of columns.
#include <string>
#include <string_view>
#include <vector>

#include "wrong_in_c.hpp"

namespace bindings_test {

using Catch::Matchers::ContainsSubstring;
using namespace tenon;
using namespace tenon::test;

namespace {

tn_str str(std::string_view text) {
    return {text.data(), text.size()};
}

// The results of the network "net", whose function "value" has those names bound to the values.
std::vector<tn_value> call(const InC& c, const std::vector<std::string_view>& names,
                           const std::vector<tn_value>& values, std::size_t results, const char* prefix = "") {
    std::vector<tn_str> list;
    for (const std::string_view name : names) {
        list.push_back(str(name));
    }
    const std::vector<tn_attribute> attributes = {text_in_c("role", "net"), text_in_c("function", "value"),
                                                  text_in_c("prefix", prefix), texts_in_c("bind", list)};
    return c.emit_many("call", values, attributes, results, 3);
}

tn_value twice(const InC& c, tn_value x) {
    return c.emit("add", {x, x});
}

// A network that reads the observation and remembers "trace".
void remembers(const InC& c) {
    const std::vector<std::int64_t> shape = {4};
    const tn_value before = c.emit("memory", {}, {text_in_c("name", "trace"), ints_in_c("shape", shape)});
    const tn_value now = c.emit("add", {before, c.column("observation")});
    c.emit("remember", {now}, {text_in_c("name", "trace")});
    c.args.out[0] = c.emit("sum", {now}, {int_in_c("axis", -1)});
}

std::string text_of(const InC& c, tn_value value) {
    tn_type type{};
    type.struct_size = sizeof type;
    c.args.api->type_of(c.args.graph, value, &type);
    std::string out;
    for (std::uint32_t i = 0; i < type.rank; ++i) {
        out += (i == 0 ? "" : " ") + std::to_string(type.dim[i]);
    }
    return out;
}

}  // namespace

TEST_CASE("a network reads a bound value in place of the column, and so does what it calls") {
    World world;
    AuthorInC inner([](const InC& c) { c.args.out[0] = twice(c, c.column("observation")); }, "value", "", "value");
    AuthorInC outer(
        [](const InC& c) {
            c.args.out[0] = c.emit("call", {}, {text_in_c("role", "inner"), text_in_c("function", "value")});
        },
        "value", "", "value");
    world.networks.push_back(inner.unit("inner"));
    world.networks.push_back(outer.unit("net"));
    AuthorInC author([](const InC& c) {
        const tn_value next = c.column("next.observation");
        CHECK(call(c, {"observation"}, {next}, 1).front() == twice(c, next));
        const tn_value many = c.emit("spread", {next}, {text_in_c("name", "many"), int_in_c("n", 3)});
        CHECK(text_of(c, call(c, {"observation"}, {many}, 1).front()) == "-1024 -1 4");
        const tn_value stored = c.column("observation");
        CHECK(call(c, {"observation"}, {stored}, 1, "next.").front() == twice(c, stored));
        CHECK(c.emit("call", {}, {text_in_c("role", "net"), text_in_c("function", "value")}) == twice(c, stored));
    });
    world.build(author.unit());
    CHECK(world.problems.empty());
}

TEST_CASE("a bound memory is read, and what is remembered is a result") {
    for (const auto& leading : {kRows, kSequences}) {
        World world;
        AuthorInC network(remembers, "value", "", "value");
        world.networks.push_back(network.unit("net"));
        AuthorInC author([](const InC& c) {
            const tn_value first = c.column("next.observation");
            const std::vector<tn_value> once = call(c, {"memory.trace"}, {first}, 2);
            CHECK(once[1] == c.emit("add", {first, c.column("observation")}));
            const std::vector<tn_value> again = call(c, {"observation", "memory.trace"}, {first, once[1]}, 2);
            CHECK(again[1] == c.emit("add", {once[1], first}));
            CHECK(again[0] == c.emit("sum", {again[1]}, {int_in_c("axis", -1)}));
        });
        world.build(author.unit(), "update", leading);
        CHECK(world.problems.empty());
    }
}

TEST_CASE("bindings that do not fit are refused") {
    const auto check = [](const AuthorInC::Body& calls, const char* sentence) {
        CAPTURE(sentence);
        World world;
        AuthorInC network(remembers, "value", "", "value");
        world.networks.push_back(network.unit("net"));
        AuthorInC author(calls);
        world.build(author.unit());
        REQUIRE(world.problems.size() == 1);
        CHECK_THAT(world.problems[0].sentence, ContainsSubstring(sentence));
        CHECK(world.problems[0].place.line == kLineInC);
    };
    const auto memory = [](const InC& c) { return c.column("next.observation"); };
    check([&](const InC& c) { call(c, {"observation", "memory.trace"}, {c.column("next.reward"), memory(c)}, 2); },
          "the call of net.value binds 'observation', which is real [B, 4], to real [B]");
    check([&](const InC& c) { call(c, {"memory.trace"}, {c.column("next.reward")}, 2); },
          "memory 'net.trace' has sizes 4, but the call binds it to real [B]");
    check([&](const InC& c) { call(c, {"memory.trace", "memory.trace"}, {memory(c), memory(c)}, 3); },
          "the call of net.value binds 'memory.trace' twice");
    check([&](const InC& c) { call(c, {"memory.trace", "action"}, {memory(c), c.column("action")}, 2); },
          "[policy.net] must read 'action', which it is to be given as a value, but value does not read it");
    check([&](const InC& c) { call(c, {"memory.trace"}, {}, 2); },
          "net.value takes 0 inputs and 1 bound value, but got 0");
}

}  // namespace bindings_test
