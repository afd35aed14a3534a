// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/graph_rewrites.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compute/graph/dependence.hpp"
#include "engines/compiled/rewriting.hpp"

namespace tenon::compiled {
namespace {

using graph::Node;
using graph::ValueId;
using Extents = std::vector<std::int64_t>;

// Elementwise operations, which are the same in every layout of images.
constexpr graph::OpSet kByElement{graph::OpId::kRelu_1,     graph::OpId::kTanh_1, graph::OpId::kSigmoid_1,
                                  graph::OpId::kSoftplus_1, graph::OpId::kAdd_1,  graph::OpId::kSub_1,
                                  graph::OpId::kMul_1};

// Between convolutions, images are kept as [places, channels], the layout of products; other readers get them
// transposed.
class Plain {
public:
    explicit Plain(const graph::Graph& graph) : graph_(graph) {}

    void operator()(graph::Extension& extension, Node& node) {
        if (node.op == nullptr || graph::scan_of(graph_, node.region) != 0) {
            return;
        }
        if (node.is(graph::OpId::kConv2d_1)) {
            become(extension, node, filtered(extension, node));
        } else if (node.is(graph::OpId::kConvTranspose2d_1)) {
            become(extension, node, spread(extension, node));
        } else if (node.is(graph::OpId::kMaxPool2d_1)) {
            become(extension, node, pooled(extension, node));
        } else if (is_by_element(node)) {
            std::vector<ValueId> inputs = node.inputs;
            for (ValueId& input : inputs) {
                const auto known = by_place_.find(input);
                input = known == by_place_.end() ? input : known->second;
            }
            become(extension, node, extension.emit(node.op->id, std::move(inputs), node.attributes));
        }
    }

private:
    [[nodiscard]] Extents sizes_of(ValueId value) const {
        const auto sizes = graph_.type(value).sizes();
        return {sizes.begin(), sizes.end()};
    }

    // Spatial dimensions are broadcast either all or not at all.
    [[nodiscard]] bool is_by_element(const Node& node) const {
        const Extents out = sizes_of(node.first_output);
        const auto fits = [&](ValueId input) {
            const Extents image = sizes_of(input);
            return image.empty() || (by_place_.contains(input) &&
                                     ((image[1] == out[1] && image[2] == out[2]) || (image[1] == 1 && image[2] == 1)));
        };
        return node.is_any(kByElement) &&
               std::ranges::any_of(node.inputs, [&](ValueId input) { return by_place_.contains(input); }) &&
               std::ranges::all_of(node.inputs, fits);
    }

    void become(graph::Extension& extension, Node& node, ValueId by_place) {
        by_place_[node.first_output] = by_place;
        node.inputs = {extension.emit(graph::OpId::kTranspose_1, {by_place})};
        node.op = &graph::op_of(graph::OpId::kReshape_1);
        node.attributes = {{"shape", sizes_of(node.first_output)}};
    }

    // Flattens the last two sizes, transposes, and reshapes.
    static ValueId turned(graph::Extension& extension, ValueId x, Extents two, Extents shape) {
        const ValueId flat = extension.emit(graph::OpId::kReshape_1, {x}, {{"shape", std::move(two)}});
        return extension.emit(graph::OpId::kReshape_1, {extension.emit(graph::OpId::kTranspose_1, {flat})},
                              {{"shape", std::move(shape)}});
    }

    // As [places, channels].
    ValueId by_place(graph::Extension& extension, ValueId image) const {
        const auto known = by_place_.find(image);
        const Extents sizes = sizes_of(image);  // channels, height, width
        const Extents flat{sizes[0], sizes[1] * sizes[2]};
        return known != by_place_.end()
                   ? known->second
                   : extension.emit(graph::OpId::kTranspose_1,
                                    {extension.emit(graph::OpId::kReshape_1, {image}, {{"shape", flat}})});
    }

    ValueId patches(graph::Extension& extension, const Node& node, std::int64_t height, std::int64_t width,
                    double fill) const {
        const Extents image = sizes_of(node.inputs[0]);  // channels, height, width
        const ValueId x = extension.emit(graph::OpId::kReshape_1, {by_place(extension, node.inputs[0])},
                                         {{"shape", Extents{image[1], image[2], image[0]}}});
        return extension.emit(graph::OpId::kPatches_1, {x},
                              {{"height", height},
                               {"width", width},
                               {"stride", graph::int_attribute(node, "stride")},
                               {"padding", graph::int_attribute(node, "padding")},
                               {"fill", fill}});
    }

    ValueId filtered(graph::Extension& extension, const Node& node) const {
        const Extents weight = sizes_of(node.inputs[1]);  // out, in, height, width
        const std::int64_t window = weight[2] * weight[3];
        std::vector<ValueId> inputs{
            patches(extension, node, weight[2], weight[3], 0),
            turned(extension, node.inputs[1], {weight[0], weight[1], window}, {weight[0], window * weight[1]})};
        inputs.insert(inputs.end(), node.inputs.begin() + 2, node.inputs.end());
        return extension.emit(graph::OpId::kLinear_1, std::move(inputs));
    }

    // Each place of the image is multiplied with the filter, which gives the elements of its window; overlapping
    // windows are added up.
    ValueId spread(graph::Extension& extension, const Node& node) const {
        const Extents weight = sizes_of(node.inputs[1]);  // in, out, height, width
        const Extents out = sizes_of(node.first_output);  // out, height, width
        const ValueId filter = extension.emit(
            graph::OpId::kReshape_1,
            {extension.emit(graph::OpId::kPermute_1, {node.inputs[1]}, {{"order", Extents{-2, -1, -3, -4}}})},
            {{"shape", Extents{weight[2] * weight[3] * weight[1], weight[0]}}});
        const ValueId windows = extension.emit(graph::OpId::kLinear_1, {by_place(extension, node.inputs[0]), filter});
        const ValueId image = extension.emit(graph::OpId::kUnpatch_1, {windows},
                                             {{"image", Extents{out[1], out[2]}},
                                              {"height", weight[2]},
                                              {"width", weight[3]},
                                              {"stride", graph::int_attribute(node, "stride")},
                                              {"padding", graph::int_attribute(node, "padding")}});
        const ValueId places =
            extension.emit(graph::OpId::kReshape_1, {image}, {{"shape", Extents{out[1] * out[2], out[0]}}});
        if (node.inputs.size() == 2) {
            return places;
        }
        const ValueId bias = extension.emit(graph::OpId::kUnsqueeze_1, {node.inputs[2]}, {{"axis", std::int64_t{-2}}});
        return extension.emit(graph::OpId::kAdd_1, {places, bias});
    }

    // Selects the maximum by its index, so that the gradient goes to the first of equal elements.
    ValueId pooled(graph::Extension& extension, const Node& node) const {
        const std::int64_t kernel = graph::int_attribute(node, "kernel");
        const Extents out = sizes_of(node.first_output);  // channels, rows, columns
        const ValueId below = patches(extension, node, kernel, kernel, -std::numeric_limits<double>::infinity());
        const ValueId windows =
            extension.emit(graph::OpId::kTranspose_1,
                           {extension.emit(graph::OpId::kReshape_1, {below},
                                           {{"shape", Extents{out[1] * out[2], kernel * kernel, out[0]}}})});
        return extension.emit(graph::OpId::kGather_1, {windows, extension.emit(graph::OpId::kArgmax_1, {windows})});
    }

    const graph::Graph& graph_;
    std::unordered_map<ValueId, ValueId> by_place_;  // from [channels, height, width] to [places, channels]
};

}  // namespace

graph::Graph with_plain_images(const graph::Graph& graph) {
    return rewritten(graph, Plain(graph));
}

}  // namespace tenon::compiled
