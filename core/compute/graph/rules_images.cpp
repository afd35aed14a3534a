// SPDX-License-Identifier: Apache-2.0
// Shape rules for windows that move over images: rows of [channels, height, width].
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "compute/graph/limits.hpp"
#include "compute/graph/rule_question.hpp"

namespace tenon::graph {
namespace {

constexpr std::int64_t kMostPadding = 1 << 16;

struct Moves {
    std::int64_t stride;
    std::int64_t padding;
};

Fitted<Moves> moves_of(const Question& q) {
    const Moves moves{int_attribute(q.node, "stride"), int_attribute(q.node, "padding")};
    if (moves.stride < 1 || moves.padding < 0) {
        return Misfit{"a stride must be at least 1 and a padding at least 0, but these are " +
                      std::to_string(moves.stride) + " and " + std::to_string(moves.padding)};
    }
    if (moves.padding > kMostPadding) {
        return Misfit{"a padding must be at most " + std::to_string(kMostPadding) + ", but this is " +
                      std::to_string(moves.padding)};
    }
    return moves;
}

// The product with the filters needs the patches of all windows in memory, so their number is limited.
std::optional<Misfit> too_many_patches(const Question& q, std::span<const Dim> places, std::span<const Dim> filter) {
    const std::int64_t all = bounded_product(bounded_product(places), bounded_product(filter.subspan(1)));
    if (all <= kMostElements) {
        return std::nullopt;
    }
    return Misfit{"the windows of " + q.text(1) + ", see more than 2^" + std::to_string(kMostElementsLog2) +
                      " elements of one image together",
                  0, 1};
}

// x with other channels; its height and width are the numbers of places for a window of that height and width.
Outcome moved(const Question& q, const Moves& moves, std::span<const Dim> window, Dim channels) {
    const auto image = q.in[0].sizes();
    Type out = typed(Kind::kReal, q.in[0].symbols(), std::span(&channels, 1));
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t room = image[1 + i] + 2 * moves.padding - window[i];
        if (room < 0) {
            return Misfit{"a window of " + std::to_string(window[0]) + " by " + std::to_string(window[1]) +
                              " does not fit into an image of " + std::to_string(image[1]) + " by " +
                              std::to_string(image[2]) +
                              (moves.padding == 0 ? "" : " with a padding of " + std::to_string(moves.padding)) + ": " +
                              q.text(0),
                          0};
        }
        out.dims.push_back(room / moves.stride + 1);
    }
    return out;
}

Misfit no_image(const Question& q) {
    return Misfit{"it needs images of [channels, height, width], but this is " + q.text(0), 0};
}

// Where the weight of a filter has its channels, and the names of all of its sizes.
struct FilterOrder {
    std::size_t out;
    std::size_t in;
    const char* order;
};

Fitted<Moves> filter_moves_of(const Question& q, const FilterOrder& order) {
    const Type& weight = q.in[1];
    const auto filter = weight.sizes();
    const Moves moves = TENON_TRY(moves_of(q));
    if (q.in[0].sizes().size() != 3) {
        return no_image(q);
    }
    if (filter.size() != 4 || weight.symbols().size() > 1) {
        return Misfit{"the weight must be " + std::string(order.order) +
                          ", one for all or one per member, but this is " + q.text(1),
                      1};
    }
    if (filter[order.in] != q.in[0].sizes()[0]) {
        return Misfit{q.text(0) + ", does not fit " + q.text(1) + ": the channels of the image must be the " +
                          (order.in == 0 ? "first" : "second") + " size of the weight",
                      0, 1};
    }
    if (q.in.size() > 2) {
        const Type& bias = q.in[2];
        if (bias.sizes().size() != 1 || bias.sizes()[0] != filter[order.out] ||
            !std::ranges::equal(bias.symbols(), weight.symbols())) {
            return Misfit{
                q.text(2) + ", does not fit " + q.text(1) + ": it must be [out], with the same number of members", 1,
                2};
        }
    }
    return moves;
}

// The type of resulting images, for each row of x and each member of the weight.
Type under_members(const Question& q, const Type& image) {
    return typed(Kind::kReal, join_symbols(q.in[0].symbols(), q.in[1].symbols()), image.sizes());
}

}  // namespace

Outcome rule::conv2d(const Question& q) {
    const Moves moves = TENON_TRY(filter_moves_of(q, {.out = 0, .in = 1, .order = "[out, in, height, width]"}));
    const auto filter = q.in[1].sizes();
    const Type out = TENON_TRY(moved(q, moves, filter.subspan(2), filter[0]));
    if (auto misfit = too_many_patches(q, out.sizes().subspan(1), filter)) {
        return std::move(*misfit);
    }
    return under_members(q, out);
}

Outcome rule::conv_transpose2d(const Question& q) {
    const auto [stride, padding] =
        TENON_TRY(filter_moves_of(q, {.out = 1, .in = 0, .order = "[in, out, height, width]"}));
    const auto image = q.in[0].sizes();
    const auto filter = q.in[1].sizes();
    if (auto misfit = too_many_patches(q, image.subspan(1), filter)) {
        return std::move(*misfit);
    }
    Type out{Kind::kReal, {filter[1]}};
    for (std::size_t i = 1; i < 3; ++i) {
        const std::int64_t size = bounded_product(image[i] - 1, stride) + filter[1 + i] - 2 * padding;
        if (size < 1) {
            return Misfit{"a padding of " + std::to_string(padding) + " leaves nothing of the result of " + q.text(0) +
                              ", and " + q.text(1),
                          0, 1};
        }
        out.dims.push_back(size);
    }
    return under_members(q, out);
}

Outcome rule::max_pool2d(const Question& q) {
    const Moves given = TENON_TRY(moves_of(q));
    if (q.in[0].sizes().size() != 3) {
        return no_image(q);
    }
    const std::int64_t kernel = int_attribute(q.node, "kernel");
    if (kernel < 1 || 2 * given.padding > kernel) {
        return Misfit{"a window must be at least 1 and its padding at most half of it, but these are " +
                      std::to_string(kernel) + " and " + std::to_string(given.padding)};
    }
    const Dim window[] = {kernel, kernel};
    return moved(q, given, window, q.in[0].sizes()[0]);
}

// Only the host emits this op, so inputs that do not fit are a defect of the host.
Outcome rule::patches(const Question& q) {
    const std::int64_t stride = int_attribute(q.node, "stride");
    const std::int64_t padding = int_attribute(q.node, "padding");
    const std::int64_t window[] = {int_attribute(q.node, "height"), int_attribute(q.node, "width")};
    const auto image = q.in[0].sizes();
    const auto places = [&](std::size_t i) { return (image[i] + 2 * padding - window[i]) / stride + 1; };
    const Dim rows[] = {places(0) * places(1), window[0] * window[1] * image[2]};
    return typed(Kind::kReal, q.in[0].symbols(), rows);
}

Outcome rule::unpatch(const Question& q) {
    const auto& image = ints_attribute(q.node, "image");
    const auto patches = q.in[0].sizes();
    Type out = typed(Kind::kReal, q.in[0].symbols(), image);
    out.dims.push_back(patches[1] / (int_attribute(q.node, "height") * int_attribute(q.node, "width")));
    return out;
}

}  // namespace tenon::graph
