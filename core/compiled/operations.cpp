// SPDX-License-Identifier: Apache-2.0
#include "compiled/operations.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "compiled/sharing.hpp"

namespace tenon::compiled {
namespace {

constexpr std::size_t kMostDims = 12;
constexpr std::size_t kMostInputs = 8;  // of a composite that is known

using Numbers = std::span<const std::int64_t>;

// How one view goes through a shape.
struct Walk {
    std::int64_t offset = 0;
    Numbers strides;
};

Walk walk(const View& view) {
    return {view.offset, view.strides};
}

// Calls f(where in each of them) for every element of a shape.
template <std::size_t kWalks, class F>
void each_place(Numbers shape, const std::array<Walk, kWalks>& walks, F f) {
    std::array<std::int64_t, kWalks> at{};
    for (std::size_t v = 0; v < kWalks; ++v) {
        at[v] = walks[v].offset;
    }
    if (std::ranges::find(shape, 0) != shape.end()) {
        return;
    }
    std::array<std::int64_t, kMostDims> index{};
    while (true) {
        f(at);
        std::size_t d = shape.size();
        while (d > 0) {
            --d;
            for (std::size_t v = 0; v < kWalks; ++v) {
                at[v] += walks[v].strides[d];
            }
            if (++index[d] < shape[d]) {
                break;
            }
            for (std::size_t v = 0; v < kWalks; ++v) {
                at[v] -= walks[v].strides[d] * shape[d];
            }
            index[d] = 0;
            if (d == 0) {
                return;
            }
        }
        if (shape.empty()) {
            return;
        }
    }
}

template <class T>
T* at(const Memory& memory, const View& view) {
    return static_cast<T*>(memory.bases[view.buffer]);
}

constexpr std::int64_t kShort = 16;

// Rows of few elements each, a kernel's call for each of which would take longer than they do.
template <class T>
void reduce_short_rows(const Op& op, const T* from, T* out) {
    const View& x = op.in[0];
    const auto onto = [&](auto join) {
        for (std::int64_t i = 0; i < x.shape[0]; ++i) {
            const T* row = from + i * x.strides[0];
            T total = row[0];
            for (std::int64_t j = 1; j < x.shape[1]; ++j) {
                total = join(total, row[j * x.strides[1]]);
            }
            out[i * op.out.strides[0]] = total;
        }
    };
    if (op.code == Code::kSum) {
        onto([](T a, T b) { return a + b; });
    } else if (op.code == Code::kMax) {
        onto([](T a, T b) { return a != a ? a : (b != b || b > a ? b : a); });
    } else {
        onto([](T a, T b) { return a != a ? a : (b != b || b < a ? b : a); });
    }
}

// What prepare_operation has made of it: dimensions that go come last, with a stride of 0 in the result.
template <class T>
void reduce(const Op& op, const Kernels& k, const Memory& memory) {
    const View& x = op.in[0];
    const auto kept = static_cast<std::size_t>(op.number);
    const Numbers shape(x.shape);
    const Numbers strides(x.strides);
    const Numbers to(op.out.strides);
    const T* from = at<const T>(memory, x);
    T* out = at<T>(memory, op.out);
    if (kept > 0 && strides[kept - 1] == 1 && to[kept - 1] == 1) {
        // whole rows, one on top of the other
        const auto onto = op.code == Code::kSum ? k.sum_onto : op.code == Code::kMax ? k.max_onto : k.min_onto;
        const std::size_t last = shape.size() - 1;
        const Rows rows{.x = nullptr, .stride = strides[last], .rows = shape[last], .width = shape[kept - 1]};
        const std::array<Walk, 2> outer{walk(x), walk(op.out)};
        each_place<2>(shape.first(kept - 1), outer, [&](const auto& place) {
            T* row = out + place[1];
            std::copy_n(from + place[0], rows.width, row);
            Rows more = rows;
            more.rows -= 1;  // the first is there already
            each_place<1>(shape.subspan(kept, last - kept), {Walk{place[0], strides.subspan(kept)}},
                          [&](const auto& start) {
                              more.x = from + start[0] + (rows.rows - more.rows) * rows.stride;
                              onto(row, more);
                              more.rows = rows.rows;
                          });
        });
        return;
    }
    const std::size_t last = shape.size() - 1;
    if (kept == 1 && last == 1 && shape[1] <= kShort) {
        reduce_short_rows<T>(op, from + x.offset, out + op.out.offset);
        return;
    }
    const auto whole = op.code == Code::kSum ? k.sum : op.code == Code::kMax ? k.max : k.min;
    each_place<2>(shape.first(kept), {walk(x), walk(op.out)}, [&](const auto& place) {
        bool begun = false;
        double total = 0;
        const Walk inner{place[0], strides.subspan(kept)};
        each_place<1>(shape.subspan(kept, last - kept), {inner}, [&](const auto& start) {
            const double part = whole({.x = from + start[0], .stride = strides[last], .n = shape[last]});
            if (!begun) {
                total = part;
            } else if (op.code == Code::kSum) {
                total += part;
            } else {
                const bool better = op.code == Code::kMax ? part > total : part < total;
                total = total != total ? total : (part != part || better ? part : total);
            }
            begun = true;
        });
        out[place[1]] = static_cast<T>(total);
    });
}

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
    draw.counter = call.counter;
    draw.first_row = op.by_row ? call.first_row : 0;
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

// Of equals the first count; what is not a number comes last.
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
Product product_of(const Op& op, const Memory& memory) {
    const View& a = op.in[0];
    const View& b = op.in[1];
    Product task;
    task.batch = a.shape[0];
    task.m = a.shape[1];
    task.k = a.shape[2];
    task.n = b.shape[2];
    task.a = at<const T>(memory, a) + a.offset;
    task.a_strides = {a.strides[0], a.strides[1], a.strides[2]};
    task.b = at<const T>(memory, b) + b.offset;
    task.b_strides = {b.strides[0], b.strides[1], b.strides[2]};
    if (const View* bias = bias_of(op)) {
        task.bias = at<const T>(memory, *bias) + bias->offset;
        task.bias_stride = bias->strides[0];
    }
    task.tail = op.tail;
    if (const View* with = tail_input_of(op)) {
        task.with = at<const T>(memory, *with) + with->offset;
        task.with_batch = with->strides[0];
        task.with_row = with->strides[1];
    }
    task.c = at<T>(memory, op.out) + op.out.offset;
    task.c_batch = op.out.strides[0];
    task.c_row = op.out.strides[1];
    return task;
}

// Batches, or rows of each, `first` up to `first + count`.
template <class T>
Product part_of(Product task, bool by_batch, std::int64_t first, std::int64_t count) {
    (by_batch ? task.batch : task.m) = count;
    task.a = static_cast<const T*>(task.a) + first * task.a_strides[by_batch ? 0 : 1];
    task.c = static_cast<T*>(task.c) + first * (by_batch ? task.c_batch : task.c_row);
    if (task.with != nullptr) {
        task.with = static_cast<const T*>(task.with) + first * (by_batch ? task.with_batch : task.with_row);
    }
    if (by_batch) {
        task.b = static_cast<const T*>(task.b) + first * task.b_strides[0];
        task.bias = task.bias == nullptr ? nullptr : static_cast<const T*>(task.bias) + first * task.bias_stride;
    }
    return task;
}

// An element is the same number whoever computes it, so the cut may go by the number of threads.
template <class T>
void product(const Op& op, const Kernels& k, const Memory& memory) {
    constexpr std::int64_t kWorthSharing = 250'000;  // multiplications: some microseconds
    constexpr std::int64_t kRows = 24;               // whole tiles of any kind of processor
    Product task = product_of<T>(op, memory);
    const auto desks = static_cast<std::int64_t>(memory.desks.size());
    const bool by_batch = task.batch >= desks;
    const std::int64_t units = by_batch ? task.batch : task.m;
    const bool divisible = by_batch || task.m >= 2 * kRows;
    if (desks == 1 || !divisible || task.batch * task.m * task.n * task.k < kWorthSharing) {
        task.scratch = memory.desks.front().scratch;
        task.lasting = op.lasting == 0 ? nullptr : memory.bases[op.lasting];
        task.lasting_stands = memory.same_parameters;
        k.product(task);
        return;
    }
    const std::int64_t even = (units + desks - 1) / desks;
    std::int64_t part = by_batch ? even : (even + kRows - 1) / kRows * kRows;
    while (!by_batch && units % part > 0 && units % part < kRows) {
        part += kRows;  // a few rows at the end might be summed up in another order
    }
    share(memory, units, part, [&](std::int64_t first, std::int64_t count, const Desk& desk) {
        Product mine = part_of<T>(task, by_batch, first, count);
        mine.scratch = desk.scratch;
        k.product(mine);
    });
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

template <class T>
void run(const Op& op, DType real, const Memory& memory, const Call& call) {
    switch (op.code) {
        case Code::kSum:
        case Code::kMax:
        case Code::kMin:
            return reduce<T>(op, kernels(real), memory);
        case Code::kArgmax:
            return argmax<T>(op, memory);
        case Code::kGather:
            if (op.kind == Kind::kInt) {
                return gather<std::int64_t>(op, memory);
            }
            return op.kind == Kind::kBool ? gather<unsigned char>(op, memory) : gather<T>(op, memory);
        case Code::kImport:
            if (op.kind == Kind::kInt) {
                return import_as<std::int64_t>(op, memory);
            }
            return op.kind == Kind::kBool ? import_as<unsigned char>(op, memory) : import_as<T>(op, memory);
        case Code::kProduct:
            return product<T>(op, kernels(real), memory);
        case Code::kDraw:
            return draw<T>(op, memory, call);
        case Code::kScanLinear:
            return scan_linear<T>(op, memory);
        case Code::kComposite:
            return composite<T>(op, memory);
        case Code::kFused:
            return fused<T>(op, memory);
        case Code::kLeastMembers:
            return least_members<T>(op, memory);
        default:
            break;
    }
}

}  // namespace

void prepare_operation(Op& op) {
    if (op.code != Code::kSum && op.code != Code::kMax && op.code != Code::kMin) {
        return;
    }
    const View x = op.in[0];
    const View out = op.out;
    View from{.buffer = x.buffer, .offset = x.offset, .shape = {}, .strides = {}};
    View to{.buffer = out.buffer, .offset = out.offset, .shape = {}, .strides = {}};
    op.number = 0;
    for (const bool goes : {false, true}) {
        const std::size_t border = from.shape.size();
        for (std::size_t d = 0; d < x.shape.size(); ++d) {
            if (x.shape[d] == 1 || (out.shape[d] != x.shape[d]) != goes) {
                continue;
            }
            const std::int64_t stride = goes ? 0 : out.strides[d];
            // neighbours that follow each other in both are one
            if (from.shape.size() > border && from.strides.back() == x.strides[d] * x.shape[d] &&
                to.strides.back() == stride * x.shape[d]) {
                from.shape.back() *= x.shape[d];
                from.strides.back() = x.strides[d];
                to.strides.back() = stride;
                continue;
            }
            from.shape.push_back(x.shape[d]);
            from.strides.push_back(x.strides[d]);
            to.strides.push_back(stride);
        }
        op.number = goes ? op.number : static_cast<std::int64_t>(from.shape.size());
    }
    to.shape = from.shape;
    op.in[0] = std::move(from);
    op.out = std::move(to);
}

void run_operation(const Op& op, DType real, const Memory& memory, const Call& call) {
    real == DType::kF64 ? run<double>(op, real, memory, call) : run<float>(op, real, memory, call);
}

std::size_t scratch_of(const Op& op, DType real) {
    return op.code == Code::kProduct
               ? kernels(real).product_scratch(op.in[1].shape[2], op.in[0].shape[2], op.in[0].shape[1])
               : 0;
}

}  // namespace tenon::compiled
