// SPDX-License-Identifier: Apache-2.0
// Filters over images as products. ops_test.cpp checks their values and gradients.
#include "engines/compiled/graph_rewrites.hpp"

#include <algorithm>
#include <string_view>

#include "support.hpp"
#include "support/catch.hpp"

namespace plain_images_test {

using namespace tenon;
using namespace tenon::test;

namespace {

// Two filters over pictures of 3 by 4, the second one as high as the picture or of a single pixel, and their sum.
struct Filters {
    Sketch sketch{1};

    explicit Filters(std::int64_t height) {
        const ValueId picture = sketch.column("picture", Type{Kind::kReal, {graph::kRows, 1, 3, 4}});
        const ValueId one = sketch.parameter("net", "one", Type{Kind::kReal, {2, 1, 1, 1}});
        const ValueId other = sketch.parameter("net", "other", Type{Kind::kReal, {2, 1, height, 1}});
        const ValueId first = sketch.add("relu", {sketch.add("conv2d", {picture, one})});
        sketch.write("out", sketch.add("add", {first, sketch.add("conv2d", {picture, other})}));
    }
};

// Of the rank that images have as [places, channels] under rows, or [channels, height, width].
std::int64_t count(const graph::Graph& graph, std::string_view op, std::size_t rank) {
    return std::ranges::count_if(graph.nodes, [&](const graph::Node& node) {
        return node.op != nullptr && node.op->name == op && graph.type(node.first_output).dims.size() == rank;
    });
}

}  // namespace

TEST_CASE("what goes element by element through images stays as products make it") {
    const graph::Graph plain = compiled::with_plain_images(Filters(1).sketch.graph);
    CHECK(count(plain, "conv2d", 4) == 0);
    CHECK(count(plain, "linear", 3) == 2);
    CHECK(count(plain, "relu", 3) == 1);
    CHECK(count(plain, "add", 3) == 1);
    CHECK(count(plain, "add", 4) == 0);
}

TEST_CASE("images that repeat one of their sizes for an operation are turned back before it") {
    const graph::Graph plain = compiled::with_plain_images(Filters(3).sketch.graph);
    CHECK(count(plain, "linear", 3) == 2);
    CHECK(count(plain, "relu", 3) == 1);
    CHECK(count(plain, "add", 3) == 0);
    CHECK(count(plain, "add", 4) == 1);
}

TEST_CASE("a transposed convolution is a product whose rows are added into the image") {
    Sketch sketch(1);
    const ValueId picture = sketch.column("picture", Type{Kind::kReal, {graph::kRows, 2, 3, 4}});
    const ValueId weight = sketch.parameter("net", "weight", Type{Kind::kReal, {2, 5, 2, 2}});
    sketch.write("out", sketch.add("relu", {sketch.add("conv_transpose2d", {picture, weight})}));
    const graph::Graph plain = compiled::with_plain_images(sketch.graph);
    CHECK(count(plain, "conv_transpose2d", 4) == 0);
    CHECK(count(plain, "linear", 3) == 1);
    CHECK(count(plain, "unpatch", 4) == 1);
    CHECK(count(plain, "relu", 3) == 1);
}

}  // namespace plain_images_test
