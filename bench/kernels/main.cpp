// SPDX-License-Identifier: Apache-2.0
// tenon-bench-kernels attention HEADS WIDTH STEPS ROWS CAUSAL SECONDS: attention of so many rows of steps and its
// gradient, and its share of the rate at which this core multiplies two matrices of 512 x 512.
// tenon-bench-kernels gelu|tanh ELEMENTS SECONDS: the function of so many numbers, as programs compute it.
// tenon-bench-kernels product SECONDS: that rate, in multiplications a microsecond.
// Prints a JSON object. Everything is float32.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/data/slab.hpp"
#include "commands/bench/timing.hpp"
#include "engines/compiled/element.hpp"
#include "engines/compiled/kernels/kernels.hpp"
#include "engines/compiled/listing_passes.hpp"
#include "engines/compiled/tape.hpp"

namespace {

using namespace tenon;
using namespace tenon::compiled;
using compiled::View;  // base/data has another

using Numbers = std::vector<float>;

Numbers wave(std::int64_t count) {
    Numbers out(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(2.5 * std::sin(0.37 * static_cast<double>(i)));
    }
    return out;
}

void print(const Times& times, double share = 0) {
    std::cout << "{\"median_us\": " << times.median_us << ", \"min_us\": " << times.min_us
              << ", \"cpu_us\": " << times.cpu_us;
    if (share > 0) {
        std::cout << ", \"share\": " << share;
    }
    std::cout << "}\n";
}

// Multiplications and additions per microsecond of the processor.
double product_rate(double seconds) {
    constexpr std::int64_t kSize = 512;
    const Numbers a = wave(kSize * kSize), b = wave(kSize * kSize);
    Numbers c(a.size());
    const Kernels& k = kernels(DType::kF32);
    std::vector<std::byte> scratch(k.product_scratch(kSize, kSize, kSize) + 64);
    const Product product{.m = kSize,
                          .n = kSize,
                          .k = kSize,
                          .a = a.data(),
                          .a_strides = {0, kSize, 1},
                          .b = b.data(),
                          .b_strides = {0, kSize, 1},
                          .c = c.data(),
                          .c_row = kSize,
                          .scratch = scratch.data() + 64 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 64};
    const auto once = [&] {
        k.product(product);
        return Status();
    };
    return static_cast<double>(kSize * kSize * kSize) / time_calls(once, seconds)->cpu_us;
}

struct Sizes {
    std::int64_t heads, width, steps, rows;
    bool causal;
};

void measure_attention(const Sizes& sizes, double seconds) {
    const std::int64_t row = sizes.heads * sizes.width, all = sizes.rows * sizes.steps * row;
    const Numbers query = wave(all), key = wave(all + 7), value = wave(all + 3), flow = wave(all + 1);
    Numbers out(query.size());
    std::array<Numbers, 3> gradients{out, out, out};
    const Kernels& k = kernels(DType::kF32);
    Attention head{.queries = sizes.steps,
                   .keys = sizes.steps,
                   .width = sizes.width,
                   .value_width = sizes.width,
                   .scale = 1 / std::sqrt(static_cast<double>(sizes.width)),
                   .causal = sizes.causal,
                   .query_row = row,
                   .key_row = row,
                   .value_row = row,
                   .out_row = row,
                   .out_gradient_row = row,
                   .query_gradient_row = row,
                   .key_gradient_row = row,
                   .value_gradient_row = row};
    std::vector<std::byte> scratch(std::max(k.attention_scratch(head, false), k.attention_scratch(head, true)) + 64);
    head.scratch = scratch.data() + 64 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 64;
    const auto once = [&] {
        for (const bool backward : {false, true}) {
            for (std::int64_t unit = 0; unit < sizes.rows * sizes.heads; ++unit) {
                const std::int64_t at = unit / sizes.heads * sizes.steps * row + unit % sizes.heads * sizes.width;
                head.query = query.data() + at;
                head.key = key.data() + at;
                head.value = value.data() + at;
                head.out = out.data() + at;
                head.out_gradient = flow.data() + at;
                head.query_gradient = gradients[0].data() + at;
                head.key_gradient = gradients[1].data() + at;
                head.value_gradient = gradients[2].data() + at;
                backward ? k.attention_gradient(head) : k.attention(head);
            }
        }
        return Status();
    };
    const Times times = *time_calls(once, seconds);
    // 2 products and, for the gradient, 5, of which causal attention needs half.
    const double work = 7 * static_cast<double>(all * sizes.steps) * (sizes.causal ? 0.5 : 1);
    print(times, work / times.cpu_us / product_rate(seconds / 4));
}

// x / 2 * (1 + erf(x / sqrt(2))) as a graph has it.
void add_gelu(Listing& listing, View x, View out) {
    const auto constant = [&](double number) {
        listing.buffers.push_back(
            {.segment = Segment::kConstant, .kind = Kind::kReal, .size = 1, .values = stored(number, DType::kF32)});
        return View{.buffer = static_cast<std::uint32_t>(listing.buffers.size() - 1),
                    .offset = 0,
                    .shape = x.shape,
                    .strides = {0}};
    };
    const auto add = [&](Code code, std::vector<View> in) {
        listing.buffers.push_back({.segment = Segment::kScratch, .kind = Kind::kReal, .size = x.count(), .values = {}});
        const auto buffer = static_cast<std::uint32_t>(listing.buffers.size() - 1);
        View view = dense_view(buffer, x.shape);
        listing.ops.push_back({.code = code, .kind = Kind::kReal, .in = std::move(in), .out = view});
        return view;
    };
    const View half = add(Code::kMul, {constant(0.5), x});
    const View erf = add(Code::kErf, {add(Code::kMul, {constant(1 / std::numbers::sqrt2), x})});
    add(Code::kMul, {half, add(Code::kAdd, {constant(1), erf})});
    listing.ops.back().out = std::move(out);
}

void measure_map(const std::string& name, std::int64_t count, double seconds) {
    Listing listing;
    for (int i = 0; i < 2; ++i) {
        listing.buffers.push_back({.segment = Segment::kOutside, .kind = Kind::kReal, .size = count, .values = {}});
    }
    const View x = dense_view(0, {count}), out = dense_view(1, {count});
    if (name == "tanh") {
        listing.ops.push_back({.code = Code::kTanh, .kind = Kind::kReal, .in = {x}, .out = out});
    } else {
        add_gelu(listing, x, out);
        join_gelus(listing, DType::kF32, {});  // as programs without gradients do
    }
    Result<Tape> tape = Tape::make(std::move(listing), DType::kF32, {});
    Numbers from = wave(count), to(from.size());
    tape->begin(1);
    tape->lend(0, from.data());
    tape->lend(1, to.data());
    const Call call{};
    print(*time_calls(
        [&] {
            tape->run_phase(0, call);
            return Status();
        },
        seconds));
}

}  // namespace

int main(int count, char** words) {
    const std::vector<std::string> given(words + 1, words + count);
    const auto number = [&](std::size_t i) { return std::strtoll(given[i].c_str(), nullptr, 10); };
    if (given.size() == 7 && given[0] == "attention") {
        measure_attention({number(1), number(2), number(3), number(4), number(5) != 0}, std::stod(given[6]));
    } else if (given.size() == 3 && (given[0] == "gelu" || given[0] == "tanh")) {
        measure_map(given[0], number(1), std::stod(given[2]));
    } else if (given.size() == 2 && given[0] == "product") {
        std::cout << "{\"multiplications_per_us\": " << product_rate(std::stod(given[1])) << "}\n";
    } else {
        std::cerr
            << "tenon-bench-kernels attention HEADS WIDTH STEPS ROWS CAUSAL SECONDS, gelu|tanh ELEMENTS SECONDS or "
               "product SECONDS\n";
        return 2;
    }
    return 0;
}
