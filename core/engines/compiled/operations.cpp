// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/operations.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "engines/compiled/next_rows.hpp"
#include "engines/compiled/scan_loop.hpp"
#include "engines/compiled/walking.hpp"

namespace tenon::compiled {
namespace {

constexpr std::size_t kMostInputs = 8;  // of a known composite

template <class T>
void argmax(const Op& op, const Memory& memory) {
    const View& x = op.in[0];
    const std::int64_t n = x.shape.back();
    const std::int64_t stride = x.strides.back();
    const T* from = at<const T>(memory, x);
    auto* out = at<std::int64_t>(memory, op.out);
    each_place<2>(Numbers(x.shape).first(x.shape.size() - 1), {walk(x), walk(op.out)}, [&](const auto& place) {
        const T* row = from + place[0];
        std::int64_t best = 0;
        for (std::int64_t i = 1; i < n; ++i) {
            const T now = row[best * stride];
            const T next = row[i * stride];
            best = now == now && (next != next || next > now) ? i : best;
        }
        out[place[1]] = best;
    });
}

template <class T>
void gather(const Op& op, const Memory& memory) {
    const View& x = op.in[0];
    const View& index = op.in[1];
    const std::int64_t n = x.shape.back();
    const std::int64_t stride = x.strides.back();
    const T* from = at<const T>(memory, x);
    const auto* chosen = at<const std::int64_t>(memory, index);
    T* out = at<T>(memory, op.out);
    each_place<3>(op.out.shape, {walk(x), walk(index), walk(op.out)}, [&](const auto& place) {
        const std::int64_t i = std::clamp<std::int64_t>(chosen[place[1]], 0, n - 1);
        memory.faulty = memory.faulty || i != chosen[place[1]];
        out[place[2]] = from[place[0] + i * stride];
    });
}

template <class T>
void draw(const Op& op, const Memory& memory, const Call& call) {
    graph::Draw draw = op.draw;
    const std::uint64_t members = op.members;
    const std::uint64_t steps = op.steps;
    draw.counter = call.random.counter;
    draw.first_row = op.by_row ? call.random.first_row : 0;
    T* out = at<T>(memory, op.out);
    for (draw.member = 0; draw.member < members; ++draw.member) {
        for (draw.time = 0; draw.time < steps; ++draw.time) {
            op.normal ? graph::draw_normal(draw, out) : graph::draw_uniform(draw, out);
            out += draw.rows * draw.width;
        }
    }
}

template <class T>
void scan_linear(const Op& op, const Memory& memory) {
    const std::int64_t steps = op.out.shape[0];
    const simd::Extents extents{.outer = 1, .steps = steps, .inner = steps == 0 ? 0 : op.out.count() / steps};
    simd::scan_linear(extents, at<const T>(memory, op.in[0]), at<const T>(memory, op.in[1]), op.number != 0,
                      at<T>(memory, op.out));
}

template <class T>
void composite(const Op& op, const Memory& memory) {
    std::array<const void*, kMostInputs> inputs{};
    for (std::size_t i = 0; i < op.in.size(); ++i) {
        const auto* base = static_cast<const std::byte*>(memory.bases[op.in[i].buffer]);
        const bool real = op.composite.what->inputs[i] != 'T' && op.composite.what->inputs[i] != 'D';
        inputs[i] = base + static_cast<std::size_t>(op.in[i].offset) * (real ? sizeof(T) : 1);
    }
    run(*op.composite.what, op.composite.extents, std::span(inputs).first(op.in.size()), at<T>(memory, op.out));
}

template <class T>
void fused(const Op& op, const Memory& memory) {
    FusedCall& call = *op.fused.call;
    const auto given = [&](std::size_t i) {
        const View& view = op.in[i];
        return static_cast<std::byte*>(memory.bases[view.buffer]) +
               static_cast<std::size_t>(view.offset) * op.fused.bytes[i];
    };
    const auto made = [&](std::size_t i) { return at<T>(memory, op.out) + op.fused.places[i]; };
    const std::size_t inputs = op.fused.inputs;
    for (std::size_t i = 0; i < inputs; ++i) {
        call.set_in(i, given(i));
    }
    if (!op.fused.backward) {
        for (std::size_t i = 0; i < op.fused.places.size(); ++i) {
            call.set_out(i, made(i));
        }
    } else {
        const std::size_t outputs = op.in.size() - inputs - op.fused.flowing.size();
        for (std::size_t i = 0; i < outputs; ++i) {
            call.set_out(i, given(inputs + i));
        }
        for (std::size_t i = 0; i < op.fused.flowing.size(); ++i) {
            call.set_out_gradient(static_cast<std::size_t>(op.fused.flowing[i]), given(inputs + outputs + i));
        }
        for (std::size_t i = 0; i < op.fused.wanted.size(); ++i) {
            call.set_in_gradient(static_cast<std::size_t>(op.fused.wanted[i]), made(i));
        }
    }
    if (Status done = op.fused.backward ? call.backward() : call.forward(); !done && memory.failed) {
        memory.failed = std::move(done);
    }
}

template <class T>
void next_rows(const Op& op, const Memory& memory, const Call& call) {
    const View& now = op.in[0];
    op.next_rows->run(call, reinterpret_cast<const std::byte*>(at<const T>(memory, now) + now.offset),
                      reinterpret_cast<std::byte*>(at<T>(memory, op.out)));
}

// The first of equal elements wins; NaN is last.
template <class T>
void least_members(const Op& op, const Memory& memory) {
    const View& x = op.in[0];
    const std::int64_t members = x.shape[0];
    const auto inner = [](const View& view) { return Walk{view.offset, Numbers(view.strides).subspan(1)}; };
    const T* values = at<const T>(memory, x);
    auto* out = at<unsigned char>(memory, op.out);
    each_place<2>(Numbers(x.shape).subspan(1), {inner(x), inner(op.out)}, [&](const auto& place) {
        for (std::int64_t i = 0; i < members; ++i) {
            const T own = values[place[0] + i * x.strides[0]];
            std::int64_t before = 0;
            for (std::int64_t j = 0; j < members; ++j) {
                const T other = values[place[0] + j * x.strides[0]];
                const bool number_first = own != own && other == other;
                const bool equal = other == own || (own != own && other != other);
                before += other < own || number_first || (equal && j < i) ? 1 : 0;
            }
            out[place[1] + i * op.out.strides[0]] = before < op.number ? 1 : 0;
        }
    });
}

template <class T>
void bits(const Op& op, const Memory& memory) {
    const auto ints_to_reals = op.kind == Kind::kInt;
    const auto bytes = static_cast<std::size_t>((ints_to_reals ? op.in[0] : op.out).count()) * sizeof(std::int64_t);
    const auto start = [&](const View& view, std::size_t each) {
        return static_cast<std::byte*>(memory.bases[view.buffer]) + static_cast<std::size_t>(view.offset) * each;
    };
    const std::size_t from = ints_to_reals ? sizeof(std::int64_t) : sizeof(T);
    const std::size_t to = ints_to_reals ? sizeof(T) : sizeof(std::int64_t);
    std::memcpy(start(op.out, to), start(op.in[0], from), bytes);
}

template <class To, class From>
void convert(const Op& op, const Memory& memory) {
    const auto* from = at<const From>(memory, op.in[0]);
    auto* to = at<To>(memory, op.out);
    for (std::int64_t i = 0; i < op.out.count(); ++i) {
        if constexpr (std::is_same_v<To, unsigned char>) {
            to[i] = from[i] != 0 ? 1 : 0;
        } else {
            to[i] = static_cast<To>(from[i]);
        }
    }
}

template <class To>
void import_as(const Op& op, const Memory& memory) {
    switch (static_cast<DType>(op.number)) {
        case DType::kF32:
            return convert<To, float>(op, memory);
        case DType::kF64:
            return convert<To, double>(op, memory);
        case DType::kI64:
            return convert<To, std::int64_t>(op, memory);
        case DType::kI32:
            return convert<To, std::int32_t>(op, memory);
        case DType::kU8:
        case DType::kBool:
            return convert<To, unsigned char>(op, memory);
    }
}

}  // namespace

void prepare_operation(Op& op) {
    if (op.code == Code::kSum || op.code == Code::kMax || op.code == Code::kMin) {
        prepare_reduction(op);
    }
}

void run_gather(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_stored(op.kind, real, [&](auto zero) { gather<decltype(zero)>(op, memory); });
}

void run_import(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_stored(op.kind, real, [&](auto zero) { import_as<decltype(zero)>(op, memory); });
}

void run_argmax(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_real(real, [&](auto zero) { argmax<decltype(zero)>(op, memory); });
}

void run_bits(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_real(real, [&](auto zero) { bits<decltype(zero)>(op, memory); });
}

void run_draw(const Op& op, DType real, const Memory& memory, const Call& call) {
    with_real(real, [&](auto zero) { draw<decltype(zero)>(op, memory, call); });
}

void run_scan_linear(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_real(real, [&](auto zero) { scan_linear<decltype(zero)>(op, memory); });
}

void run_composite(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_real(real, [&](auto zero) { composite<decltype(zero)>(op, memory); });
}

void run_fused(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_real(real, [&](auto zero) { fused<decltype(zero)>(op, memory); });
}

void run_next_rows(const Op& op, DType real, const Memory& memory, const Call& call) {
    with_real(real, [&](auto zero) { next_rows<decltype(zero)>(op, memory, call); });
}

void run_least_members(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_real(real, [&](auto zero) { least_members<decltype(zero)>(op, memory); });
}

void run_scan(const Op& op, DType /*real*/, const Memory& memory, const Call& call) {
    op.scan->run(op, memory, call);
}

void run_operation(const Op& op, DType real, const Memory& memory, const Call& call) {
    static constexpr decltype(&run_scan) kRuns[] = {
#define TENON_CODE(NAME, TEXT, RUN) RUN,
#include "engines/compiled/codes.inc"
#undef TENON_CODE
    };
    kRuns[static_cast<std::size_t>(op.code) - static_cast<std::size_t>(Code::kElementwise) - 1](op, real, memory, call);
}

std::size_t scratch_of(const Op& op, DType real) {
    if (op.code == Code::kAttention || op.code == Code::kAttentionGradient) {
        return attention_scratch(op, real);
    }
    return op.code == Code::kProduct
               ? kernels(real).product_scratch(op.in[1].shape[2], op.in[0].shape[2], op.in[0].shape[1])
               : 0;
}

}  // namespace tenon::compiled
