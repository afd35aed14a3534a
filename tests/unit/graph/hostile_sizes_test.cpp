// SPDX-License-Identifier: Apache-2.0
// Sizes, axes and counts that no value can have.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compute/graph/limits.hpp"
#include "wrong_in_c.hpp"

namespace hostile_sizes_test {

using Catch::Matchers::ContainsSubstring;
using namespace tenon;
using namespace tenon::test;

namespace {

// x of [B, 4] through an op with one attribute.
AuthorInC::Body on_observation(const char* op, std::vector<tn_attribute> attributes) {
    return [op, attributes](const InC& c) { c.emit(op, {c.column("observation")}, attributes); };
}

AuthorInC::Body reshaped(std::vector<std::int64_t> shape) {
    return [shape](const InC& c) { c.emit("reshape", {c.column("observation")}, {ints_in_c("shape", shape)}); };
}

}  // namespace

TEST_CASE("sizes and places that no value can have are refused") {
    check_refused(
        {{"one_hot of a negative number",
          [](const InC& c) { c.emit("one_hot", {c.column("action")}, {int_in_c("n", -5)}); },
          "one_hot: n, the number of places, must be at least 1, but is -5"},
         {"one_hot of none", [](const InC& c) { c.emit("one_hot", {c.column("action")}, {int_in_c("n", 0)}); },
          "one_hot: n, the number of places, must be at least 1, but is 0"},
         {"one_hot of 2^62",
          [](const InC& c) { c.emit("one_hot", {c.column("action")}, {int_in_c("n", std::int64_t{1} << 62)}); },
          "one_hot: the result, real [B, 4611686018427387904], has too many elements: a value has at most 2^37"},
         {"a slice to the end of numbers", on_observation("slice", {int_in_c("start", 1), int_in_c("length", kMost)}),
          "slice: 9223372036854775807 elements from 1 on are not all in x, real [B, 4]"},
         {"a slice from the end of numbers", on_observation("slice", {int_in_c("start", kMost), int_in_c("length", 1)}),
          "slice: 1 element from 9223372036854775807 on is not in x, real [B, 4]"},
         {"a slice before the beginning", on_observation("slice", {int_in_c("start", kLeast), int_in_c("length", 4)}),
          "slice: 4 elements from -9223372036854775808 on are not all in x"},
         {"a slice of less than nothing", on_observation("slice", {int_in_c("start", 0), int_in_c("length", kLeast)}),
          "slice: -9223372036854775808 elements from 0 on"},
         {"a reshape whose product is 4 modulo 2^64", reshaped({std::int64_t{1} << 32, std::int64_t{1} << 32, 4}),
          "reshape: the sizes of x, real [B, 4] hold 4 elements, but the new ones, [4294967296, 4294967296, 4], hold "
          "too many"},
         {"a reshape with sizes below 1", reshaped({-2, -2}),
          "reshape: the new sizes are [-2, -2], but every size must be at least 1"},
         {"a reshape to 42 sizes", reshaped([] {
              std::vector<std::int64_t> out(42, 1);
              out[0] = 4;
              return out;
          }()),
          "reshape: the result, real [B, 4, 1, 1, 1, 1, 1, 1, 1, 1,"},
         {"unsqueeze 15 times",
          [](const InC& c) {
              tn_value x = c.column("observation");
              for (int i = 0; i < 15; ++i) {
                  x = c.emit("unsqueeze", {x});
              }
          },
          "unsqueeze: the result, real [B, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], has 13 dimensions, but a value can "
          "have at "
          "most 12"},
         {"a sum along the least axis", on_observation("sum", {int_in_c("axis", kLeast)}),
          "sum: axis -9223372036854775808 does not exist"},
         {"unsqueeze at the least axis", on_observation("unsqueeze", {int_in_c("axis", kLeast)}),
          "unsqueeze: a new size cannot be inserted at axis -9223372036854775808 of x"},
         {"squeeze at the least axis", on_observation("squeeze", {int_in_c("axis", kLeast)}),
          "squeeze: axis -9223372036854775808 does not exist"},
         {"softmax without a size", [](const InC& c) { c.emit("softmax", {c.column("next.reward")}); },
          "softmax: it works along the last size, but x, real [B], has none after its leading dimensions"},
         {"a spread of 2^62", on_observation("spread", {text_in_c("name", "d"), int_in_c("n", std::int64_t{1} << 62)}),
          "spread: the result, real [D(d), B, 4], has too many elements"},
         {"a parameter of 2^62",
          [](const InC& c) {
              c.emit("parameter", {},
                     {text_in_c("name", "w"), ints_in_c("shape", {std::int64_t{1} << 31, std::int64_t{1} << 31})});
          },
          "parameter: the result, real [2147483648, 2147483648], has too many elements"},
         {"a memory of 2^62",
          [](const InC& c) {
              c.emit("memory", {}, {text_in_c("name", "m"), ints_in_c("shape", {std::int64_t{1} << 62, 4})});
          },
          "memory 'm' has at most 6 sizes of at least 1 and at most 2^37 elements, but this is [4611686018427387904, "
          "4]"},
         {"a padding of 2^62",
          [](const InC& c) {
              const tn_value image = c.emit("reshape", {c.column("observation")}, {ints_in_c("shape", {1, 2, 2})});
              c.emit("max_pool2d", {image},
                     {int_in_c("kernel", kMost), int_in_c("stride", 1), int_in_c("padding", std::int64_t{1} << 62)});
          },
          "max_pool2d: a padding must be at most 65536, but this is 4611686018427387904"},
         {"a window of the most",
          [](const InC& c) {
              const tn_value image = c.emit("reshape", {c.column("observation")}, {ints_in_c("shape", {1, 2, 2})});
              c.emit("max_pool2d", {image}, {int_in_c("kernel", kMost), int_in_c("stride", kMost)});
          },
          "max_pool2d: a window of 9223372036854775807 by 9223372036854775807 does not fit"},
         {"a stride of the most",
          [](const InC& c) {
              const tn_value image = c.emit("reshape", {c.column("observation")}, {ints_in_c("shape", {1, 2, 2})});
              const tn_value weight =
                  c.emit("parameter", {}, {text_in_c("name", "w"), ints_in_c("shape", {1, 1, 1, 1})});
              c.emit("conv_transpose2d", {image, weight}, {int_in_c("stride", kMost), int_in_c("padding", 0)});
          },
          "conv_transpose2d: the result, real [B, 1, 137438953474, 137438953474], has too many elements"}},
        kRows);
}

TEST_CASE("rows of a program count among a value's elements") {
    for (const auto& [rows, fine] : {std::pair<std::int64_t, bool>{1 << 6, true}, {1 << 8, false}}) {
        Problems problems;
        std::vector<graph::Unit> none;
        World world;
        const graph::Context context{.program = "update",
                                     .leading = kRows,
                                     .extent = {.rows = rows},
                                     .columns = &world.columns,
                                     .networks = &none,
                                     .declare = [](const graph::ParameterRequest&) { return Status(); },
                                     .take_error = [] { return std::string(); }};
        graph::Builder builder(context, problems);
        AuthorInC author([](const InC& c) { c.emit("one_hot", {c.column("action")}, {int_in_c("n", 1 << 30)}); });
        builder.build(author.unit(), "update", {}, "train");
        CHECK(problems.empty() == fine);
        if (!fine) {
            CHECK_THAT(problems.front().sentence,
                       ContainsSubstring(
                           "real [B, 1073741824], has too many elements for 256 rows: a value has at most 2^37"));
        }
    }
}

TEST_CASE("filters whose windows see too much are refused") {
    World world;
    world.add("image", SpecKind::kUnbounded, DType::kF32, {1, 1 << 13, 1 << 13});
    AuthorInC author([](const InC& c) {
        const tn_value filter =
            c.emit("parameter", {}, {text_in_c("name", "w"), ints_in_c("shape", {1, 1, 1 << 12, 1 << 12})});
        c.emit("conv2d", {c.column("image"), filter});
    });
    world.build(author.unit());
    REQUIRE(world.problems.size() == 1);
    CHECK_THAT(
        world.problems.front().sentence,
        ContainsSubstring("conv2d: the windows of weight, real [1, 1, 4096, 4096], see more than 2^37 elements"));
}

TEST_CASE("a step that sequences do not have is refused where their length is known") {
    for (const std::int64_t index : {std::int64_t{8}, std::int64_t{-9}, kLeast, kMost}) {
        World world;
        Problems problems;
        const graph::Context context{.program = "update",
                                     .leading = kSequences,
                                     .extent = {.rows = 64, .time = 8},
                                     .columns = &world.columns,
                                     .networks = &world.networks,
                                     .declare = [](const graph::ParameterRequest&) { return Status(); },
                                     .take_error = [] { return std::string(); }};
        graph::Builder builder(context, problems);
        AuthorInC author([&](const InC& c) {
            c.emit("at_time", {c.column("next.reward")}, {int_in_c("index", 7)});
            c.emit("at_time", {c.column("next.reward")}, {int_in_c("index", -8)});
            c.emit("at_time", {c.column("next.reward")}, {int_in_c("index", index)});
        });
        builder.build(author.unit(), "update", {}, "train");
        REQUIRE(problems.size() == 1);
        CHECK_THAT(problems.front().sentence, ContainsSubstring("at_time: there is no step " + std::to_string(index) +
                                                                " in sequences of 8 steps"));
    }
}

TEST_CASE("a graph has a limit of nodes, and effects one of each kind") {
    World world;
    AuthorInC author([](const InC& c) {
        for (std::size_t i = 0; i <= graph::kMostNamed; ++i) {
            const std::string name = "m" + std::to_string(i);
            c.emit("metric", {c.number(0)}, {text_in_c("name", name)});
        }
        for (std::size_t i = 0; i <= graph::kMostStages; ++i) {
            const std::string name = "s" + std::to_string(i);
            c.emit("stage", {}, {text_in_c("name", name), attribute_in_c("owns", TN_ATTRIBUTE_STRINGS)});
        }
        for (std::size_t i = 0; i < graph::kMostNodes + 10; ++i) {
            c.number(static_cast<double>(i));
        }
    });
    const graph::Graph graph = world.build(author.unit());
    CHECK(graph.nodes.size() == graph::kMostNodes);
    REQUIRE(world.problems.size() == 3);
    CHECK_THAT(world.problems[0].sentence, ContainsSubstring("metric: there are 4096 already, which is the maximum"));
    CHECK_THAT(world.problems[1].sentence, ContainsSubstring("an update has at most 64 stages"));
    CHECK_THAT(world.problems[2].sentence,
               ContainsSubstring("the graph has more than 32768 nodes, which is the maximum"));
}

TEST_CASE("a graph remembers a limited number of an author's lines, and what comes later has the last of them") {
    constexpr std::size_t kLater = 100;
    for (const std::size_t calls : {graph::kMostSources - 2, graph::kMostSources - 1 + kLater}) {
        World world;
        AuthorInC author([&](const InC& c) {
            for (std::size_t i = 0; i < calls; ++i) {
                c.number(i + 1 == calls ? 2 : 1);  // equal nodes are one, but each call has its line
            }
        });
        const graph::Graph graph = world.build(author.unit());
        CHECK(world.problems.empty());
        CHECK(graph.sources.size() == std::min(calls + 1, graph::kMostSources));
        REQUIRE(graph.nodes.size() == 3);
        CHECK(graph.nodes.back().source == graph.sources.size() - 1);
        CHECK(graph.sources.back().line == kLineInC);
    }
}

}  // namespace hostile_sizes_test
