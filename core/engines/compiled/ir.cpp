// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/ir.hpp"

#include <array>
#include <utility>

namespace tenon::compiled {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
    "copy",
#include "engines/compiled/generated/code_names.inc"
    "int to real",
    "bool to real",
    "bool to int",
    "real to int",
    "real to bool",
    "int to bool",
    "is index",
    "gelu",
    "",
#define TENON_CODE(NAME, TEXT, RUN) TEXT,
#include "engines/compiled/codes.inc"
#undef TENON_CODE
});
static_assert(kNames[static_cast<std::size_t>(Code::kElementwise)].empty());

}  // namespace

std::string_view name_of(Code code) {
    return kNames[static_cast<std::size_t>(code)];
}

bool is_function(Code code) {
    switch (code) {
        case Code::kPow:
        case Code::kExp:
        case Code::kLog:
        case Code::kLog1p:
        case Code::kExpm1:
        case Code::kTanh:
        case Code::kSigmoid:
        case Code::kSoftplus:
        case Code::kErf:
        case Code::kGelu:
        case Code::kErfinv:
        case Code::kSin:
        case Code::kCos:
        case Code::kAtan2:
            return true;
        default:
            return false;
    }
}

bool is_elementwise(Code code) {
    return code < Code::kElementwise;
}

const View* bias_of(const Op& product) {
    const std::size_t rest = product.in.size() - (tail_input_of(product) == nullptr ? 0 : 1);
    return rest > 2 ? &product.in[2] : nullptr;
}

const View* tail_input_of(const Op& product) {
    return reads_operand(product.tail) ? &product.in.back() : nullptr;
}

bool is_dense(const View& view) {
    std::int64_t expected = 1;
    for (std::size_t i = view.shape.size(); i > 0; --i) {
        if (view.shape[i - 1] != 1 && view.strides[i - 1] != expected) {
            return false;
        }
        expected *= view.shape[i - 1];
    }
    return true;
}

bool is_whole(const Listing& listing, const View& view) {
    const Buffer& buffer = listing.buffers[view.buffer];
    return buffer.segment == Segment::kScratch && view.offset == 0 && buffer.size == view.count() && is_dense(view);
}

View dense_view(std::uint32_t buffer, std::vector<std::int64_t> shape) {
    View view{.buffer = buffer, .offset = 0, .shape = std::move(shape), .strides = {}};
    view.strides.resize(view.shape.size());
    std::int64_t stride = 1;
    for (std::size_t i = view.shape.size(); i > 0; --i) {
        view.strides[i - 1] = stride;
        stride *= view.shape[i - 1];
    }
    return view;
}

std::optional<View> merged(View view, std::size_t first, std::size_t last) {
    std::int64_t size = 1;
    std::int64_t stride = 0;
    for (std::size_t i = last; i > first; --i) {
        const std::int64_t own = view.shape[i - 1];
        if (own == 1) {
            continue;
        }
        if (size != 1 && view.strides[i - 1] != stride * size) {
            return std::nullopt;
        }
        stride = size == 1 ? view.strides[i - 1] : stride;
        size *= own;
    }
    const auto at = [&](auto& list) { return list.begin() + static_cast<std::ptrdiff_t>(first); };
    view.shape.erase(at(view.shape), view.shape.begin() + static_cast<std::ptrdiff_t>(last));
    view.strides.erase(at(view.strides), view.strides.begin() + static_cast<std::ptrdiff_t>(last));
    view.shape.insert(at(view.shape), size);
    view.strides.insert(at(view.strides), stride);
    return view;
}

}  // namespace tenon::compiled
