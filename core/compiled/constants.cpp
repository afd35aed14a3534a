// SPDX-License-Identifier: Apache-2.0
#include "compiled/constants.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compiled/kernels/kernels.hpp"
#include "compiled/ordering.hpp"
#include "exec/rows.hpp"

namespace tenon::compiled {
namespace {

// An element of whatever kind.
struct Element {
    alignas(8) std::array<std::byte, 8> bytes{};

    template <class T>
    void set(double value) {
        const T own = static_cast<T>(value);
        std::memcpy(bytes.data(), &own, sizeof own);
    }
    template <class T>
    [[nodiscard]] double get() const {
        T own{};
        std::memcpy(&own, bytes.data(), sizeof own);
        return static_cast<double>(own);
    }
};

template <class F>
auto as_stored(Kind kind, DType real, F f) {
    switch (stored_as(kind, real)) {
        case DType::kI64:
            return f(std::int64_t{});
        case DType::kBool:
            return f(static_cast<unsigned char>(0));
        case DType::kF64:
            return f(0.0);
        default:
            return f(0.0F);
    }
}

double computed(const Listing& listing, const Op& op, DType real) {
    std::array<Element, 3> in;
    std::array<const void*, 3> places{};
    for (std::size_t i = 0; i < op.in.size(); ++i) {
        const Buffer& buffer = listing.buffers[op.in[i].buffer];
        const double value = buffer.values[static_cast<std::size_t>(op.in[i].offset)];
        as_stored(buffer.kind, real, [&]<class T>(T) { in[i].set<T>(value); });
        places[i] = in[i].bytes.data();
    }
    Element out;
    map_of(op, real)(out.bytes.data(), places.data(), 1);
    return as_stored(listing.buffers[op.out.buffer].kind, real, [&]<class T>(T) { return out.get<T>(); });
}

}  // namespace

void fold_constants(Listing& listing, DType real) {
    std::vector<std::size_t> writers(listing.buffers.size(), 0);
    for (const Op& op : listing.ops) {
        ++writers[op.out.buffer];
    }
    std::erase_if(listing.ops, [&](const Op& op) {
        Buffer& out = listing.buffers[op.out.buffer];
        const bool follows = std::ranges::all_of(
            op.in, [&](const View& view) { return listing.buffers[view.buffer].home == Home::kConstant; });
        if (!is_elementwise(op.code) || !follows || out.home != Home::kScratch || out.size != 1 ||
            writers[op.out.buffer] != 1) {
            return false;
        }
        out.values = {computed(listing, op, real)};
        out.home = Home::kConstant;
        return true;
    });
}

}  // namespace tenon::compiled
