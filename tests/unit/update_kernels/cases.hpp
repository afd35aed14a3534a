// SPDX-License-Identifier: Apache-2.0
// What kernels of updates are tried with, on any device. They have the CPU's bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>

#include "compute/compiled/kernels/kernels.hpp"
#include "compute/compiled/scan_loop.hpp"
#include "unit/update_kernels/on_device.hpp"

namespace on_device {

// Sides as they are, or transposed.
inline View side(Case& at, std::mt19937_64& generator, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                 bool turned) {
    if (!turned) {
        return at.column<float>({batch, rows, columns}, normal(generator, batch * rows * columns));
    }
    View out = at.column<float>({batch, columns, rows}, normal(generator, batch * rows * columns));
    std::swap(out.shape[1], out.shape[2]);
    std::swap(out.strides[1], out.strides[2]);
    return out;
}

inline constexpr std::int64_t kCount = 77;

// Numbers around 0, large ones, infinities and NaN.
inline std::vector<float> all_kinds(std::mt19937_64& generator) {
    std::vector<float> out = normal(generator, kCount);
    const float special[] = {0.0F,
                             -0.0F,
                             1.0F,
                             -1.0F,
                             1e-30F,
                             -1e30F,
                             88.0F,
                             -104.0F,
                             0.5F,
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
    for (std::size_t i = 0; i < std::size(special); ++i) {
        out[3 * i] = special[i];
        out[(5 * i + 1) % out.size()] = special[i];
    }
    return out;
}

inline std::vector<std::int64_t> integers(std::mt19937_64& generator) {
    std::vector<std::int64_t> out(kCount);
    for (std::int64_t& each : out) {
        each = static_cast<std::int64_t>(generator() % 11) - 5;
    }
    return out;
}

inline std::vector<unsigned char> flags(std::mt19937_64& generator) {
    std::vector<unsigned char> out(kCount);
    for (unsigned char& each : out) {
        each = static_cast<unsigned char>(generator() % 2);
    }
    return out;
}

inline bool compares(Code code) {
    return code >= Code::kEq && code <= Code::kNot;
}

// Whether a GPU has the bits: not of functions that are its own library's.
inline bool is_exact(Code code) {
    return code != Code::kPow && code != Code::kAtan2 && code != Code::kErf && code != Code::kErfinv &&
           code != Code::kSin && code != Code::kCos;
}

struct Signature {
    std::vector<Kind> in;
    Kind out;
};

inline Signature signature_of(Code code, Kind kind) {
    switch (code) {
        case Code::kWhere:
            return {{Kind::kBool, kind, kind}, kind};
        case Code::kClamp:
            return {{kind, kind, kind}, kind};
        case Code::kIntToReal:
            return {{Kind::kInt}, Kind::kReal};
        case Code::kBoolToReal:
            return {{Kind::kBool}, Kind::kReal};
        case Code::kBoolToInt:
            return {{Kind::kBool}, Kind::kInt};
        case Code::kRealToInt:
            return {{Kind::kReal}, Kind::kInt};
        case Code::kRealToBool:
            return {{Kind::kReal}, Kind::kBool};
        case Code::kIntToBool:
            return {{Kind::kInt}, Kind::kBool};
        case Code::kIsIndex:
            return {{Kind::kInt, Kind::kInt}, Kind::kReal};
        case Code::kNot:
            return {{Kind::kBool}, Kind::kBool};
        case Code::kAdd:
        case Code::kSub:
        case Code::kMul:
        case Code::kDiv:
        case Code::kPow:
        case Code::kAtan2:
        case Code::kMinimum:
        case Code::kMaximum:
            return {{kind, kind}, kind};
        default:
            return compares(code) ? Signature{{kind, kind}, Kind::kBool} : Signature{{kind}, kind};
    }
}

inline View random_column(Case& at, std::mt19937_64& generator, Kind kind) {
    return kind == Kind::kInt    ? at.column<std::int64_t>({kCount}, integers(generator))
           : kind == Kind::kBool ? at.column<unsigned char>({kCount}, flags(generator))
                                 : at.column<float>({kCount}, all_kinds(generator));
}

inline Case reduction(Code code, std::vector<std::int64_t> shape, const std::vector<bool>& goes, bool turned) {
    std::mt19937_64 generator(shape.size());
    Case at;
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        count *= size;
    }
    View x = at.column<float>(shape, normal(generator, count));
    std::vector<bool> reduced = goes;
    if (turned) {
        std::reverse(x.shape.begin(), x.shape.end());
        std::reverse(x.strides.begin(), x.strides.end());
        std::reverse(reduced.begin(), reduced.end());
    }
    std::vector<std::int64_t> kept = x.shape;
    for (std::size_t d = 0; d < kept.size(); ++d) {
        kept[d] = reduced[d] ? 1 : kept[d];
    }
    Op op{.code = code, .kind = Kind::kReal, .in = {x}, .out = at.result(Kind::kReal, kept)};
    const View out = op.out;
    at.add(std::move(op));
    at.see(out, Kind::kReal);
    return at;
}

inline void try_products(const std::shared_ptr<Device>& device, int count = 120) {
    std::mt19937_64 generator(1);
    const std::int64_t sizes[] = {1, 2, 3, 4, 5, 16, 33, 40};
    const auto one = [&] { return sizes[generator() % std::size(sizes)]; };
    for (int number = 0; number < count; ++number) {
        const std::int64_t batch = 1 + static_cast<std::int64_t>(generator() % 2);
        const std::int64_t m = one();
        const std::int64_t n = one();
        const std::int64_t k = one() + (number % 3 == 0 ? 16 : 0);
        const auto tail = static_cast<Tail>(generator() % 4);
        const bool a_turned = generator() % 2 == 0;
        const bool b_turned = generator() % 2 == 0;
        const bool has_bias = generator() % 2 == 0 || tail == Tail::kRelu;
        CAPTURE(batch, m, n, k, static_cast<int>(tail), a_turned, b_turned, has_bias);
        Case at;
        Op op{.code = Code::kProduct, .kind = Kind::kReal, .in = {}, .out = {}};
        op.in = {side(at, generator, batch, m, k, a_turned), side(at, generator, batch, k, n, b_turned)};
        if (has_bias) {
            op.in.push_back(at.column<float>({batch, n}, normal(generator, batch * n)));
        }
        op.tail = tail;
        if (tail != Tail::kNone && tail != Tail::kRelu) {
            op.in.push_back(at.column<float>({batch, m, n}, normal(generator, batch * m * n)));
        }
        op.out = at.result(Kind::kReal, {batch, m, n});
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, Kind::kReal);
        at.run(device);
    }
}

inline void try_long_product(const std::shared_ptr<Device>& device, std::int64_t batch, std::int64_t m, std::int64_t n,
                             std::int64_t k, bool a_turned, bool b_turned) {
    CAPTURE(batch, m, n, k, a_turned, b_turned);
    run_long(device, [&] {
        std::mt19937_64 generator(2);
        Case at;
        Op op{.code = Code::kProduct, .kind = Kind::kReal, .in = {}, .out = {}};
        op.in = {side(at, generator, batch, m, k, a_turned), side(at, generator, batch, k, n, b_turned),
                 at.column<float>({batch, n}, normal(generator, batch * n)),
                 at.column<float>({batch, m, n}, normal(generator, batch * m * n))};
        op.tail = Tail::kWherePositive;
        op.out = at.result(Kind::kReal, {batch, m, n});
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, Kind::kReal);
        return at;
    });
}

// A long k is cut into parts, so that the bits are those of the CPU only nearly.
inline void try_long_products(const std::shared_ptr<Device>& device) {
    for (const auto& [m, n, k] : {std::tuple(4, 3, 513), {17, 40, 1300}, {70, 9, 1024}, {1, 33, 2049}}) {
        for (const bool turned : {false, true}) {
            try_long_product(device, 2, m, n, k, turned, !turned);
        }
    }
    // large ones: with square tiles, few rows or columns in a tile, and so few that each thread has all of them
    for (const bool turned : {false, true}) {
        try_long_product(device, 2, 64, 36, 1016, true, turned);
        try_long_product(device, 1, 70, 41, 1500, !turned, turned);
        try_long_product(device, 1, 110, 72, 513, false, turned);
        try_long_product(device, 1, 17, 132, 1800, true, turned);
        try_long_product(device, 1, 200, 20, 1000, turned, false);
        try_long_product(device, 1, 2, 64, 32'000, true, false);
        try_long_product(device, 2, 30, 3, 25'000, true, turned);
        try_long_product(device, 1, 1, 67, 61'000, turned, false);
    }
}

// Calls f(kind, code) for every elementwise operation.
inline void each_elementwise(const auto& f) {
    const Kernels& cpu = kernels(DType::kF32);
    int tried = 0;
    for (const Kind kind : {Kind::kReal, Kind::kInt, Kind::kBool}) {
        const auto& maps = kind == Kind::kReal ? cpu.map : kind == Kind::kInt ? cpu.map_int : cpu.map_bool;
        for (std::size_t code = 0; code < maps.size(); ++code) {
            if (maps[code] == nullptr) {
                continue;
            }
            CAPTURE(static_cast<int>(kind), code);
            f(kind, static_cast<Code>(code));
            ++tried;
        }
    }
    CHECK(tried > 60);
}

inline void add_elementwise(Case& at, std::mt19937_64& generator, Kind kind, Code code) {
    const Signature signature = signature_of(code, kind);
    Op op{.code = code, .kind = kind, .in = {}, .out = {}};
    for (const Kind in : signature.in) {
        op.in.push_back(random_column(at, generator, in));
    }
    op.out = at.result(signature.out, {kCount});
    const View out = op.out;
    at.add(std::move(op));
    at.see(out, signature.out);
}

inline bool has_all_bits(const Device& device, Code code) {
    return is_exact(code) || device.table.device_type == TN_DEVICE_EMULATED;
}

inline void try_elementwise(const std::shared_ptr<Device>& device) {
    std::mt19937_64 generator(3);
    each_elementwise([&](Kind kind, Code code) {
        Case at;
        add_elementwise(at, generator, kind, code);
        at.run(device, has_all_bits(*device, code));
    });
}

// All of them in one launch, several times.
inline void try_all_elementwise(const std::shared_ptr<Device>& device, int times) {
    std::mt19937_64 generator(3);
    Case at;
    at.times = times;
    each_elementwise([&](Kind kind, Code code) {
        if (has_all_bits(*device, code)) {
            add_elementwise(at, generator, kind, code);
        }
    });
    at.run(device);
}

// Loops that are too large to share a launch.
inline void try_large_loops(const std::shared_ptr<Device>& device, int times) {
    constexpr std::int64_t kRows = 700;
    std::mt19937_64 generator(6);
    Case at;
    at.times = times;
    const View x = at.column<float>({kRows, kRows}, normal(generator, kRows * kRows));
    View turned = x;
    std::swap(turned.strides[0], turned.strides[1]);
    for (const View& other : {turned, x}) {
        const View out = at.result(Kind::kReal, {kRows, kRows});
        at.add({.code = Code::kSub, .kind = Kind::kReal, .in = {x, other}, .out = out});
        at.see(out, Kind::kReal);
    }
    at.run(device);
}

inline void try_long_loops(const std::shared_ptr<Device>& device, int times = 1) {
    std::mt19937_64 generator(5);
    Case at;
    at.times = times;
    View x = at.column<float>({7, 11}, normal(generator, 77));
    View turned = at.column<float>({11, 7}, normal(generator, 77));
    std::swap(turned.shape[0], turned.shape[1]);
    std::swap(turned.strides[0], turned.strides[1]);
    View row = at.column<float>({1, 11}, normal(generator, 11));
    row.shape[0] = 7;
    row.strides[0] = 0;
    for (int i = 0; i < 200; ++i) {
        Op op{.code = i % 3 == 0   ? Code::kTanh
                      : i % 3 == 1 ? Code::kAdd
                                   : Code::kMul,
              .kind = Kind::kReal,
              .in = {x},
              .out = at.result(Kind::kReal, {7, 11})};
        if (i % 3 != 0) {
            op.in.push_back(i % 2 == 0 ? row : turned);
        }
        x = op.out;
        at.add(std::move(op));
        if (i % 50 == 49) {
            at.see(x, Kind::kReal);
        }
    }
    at.run(device);
}

inline void try_reductions(const std::shared_ptr<Device>& device) {
    for (const Code code : {Code::kSum, Code::kMax, Code::kMin}) {
        for (const bool turned : {false, true}) {
            CAPTURE(static_cast<int>(code), turned);
            const auto long_one = [&](const std::vector<std::int64_t>& shape, const std::vector<bool>& goes) {
                run_long(device, [&] { return reduction(code, shape, goes, turned); });
            };
            reduction(code, {9, 5}, {false, true}, turned).run(device);
            reduction(code, {9, 70}, {false, true}, turned).run(device);
            reduction(code, {9, 70}, {true, false}, turned).run(device);
            reduction(code, {9000}, {true}, turned).run(device);
            reduction(code, {512, 6}, {true, false}, turned).run(device);
            // longer ones are cut into parts
            long_one({1025, 6}, {true, false});
            long_one({20'000, 2}, {true, false});
            long_one({20'000, 3}, {true, true});
            long_one({1030, 67}, {true, false});
            long_one({3000, 72}, {true, false});
            long_one({700, 5, 6}, {true, false, false});
            long_one({70'000}, {true});
            reduction(code, {3, 40, 6}, {true, false, true}, turned).run(device);
            reduction(code, {3, 40, 50}, {false, true, true}, turned).run(device, !turned);  // turned, it is cut
            reduction(code, {2, 3, 4, 5}, {false, true, false, true}, turned).run(device);
        }
    }
}

inline void try_rows(const std::shared_ptr<Device>& device) {
    std::mt19937_64 generator(9);
    std::vector<float> values = normal(generator, 60);
    values[7] = values[8];
    values[20] = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::int64_t> places(12);
    for (std::int64_t& place : places) {
        place = static_cast<std::int64_t>(generator() % 5);
    }
    Case at;
    const View x = at.column<float>({12, 5}, values);
    const View index = at.column<std::int64_t>({12, 1}, places);
    const auto see = [&](Op op, Kind kind) {
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, kind);
    };
    View with_index = x;  // as take_along has it: the elements of a row for each index
    with_index.shape = {12, 1, 5};
    with_index.strides = {5, 0, 1};
    see({.code = Code::kArgmax, .kind = Kind::kReal, .in = {x}, .out = at.result(Kind::kInt, {12, 1})}, Kind::kInt);
    see({.code = Code::kGather, .kind = Kind::kReal, .in = {with_index, index}, .out = at.result(Kind::kReal, {12, 1})},
        Kind::kReal);
    see({.code = Code::kArgsort, .kind = Kind::kReal, .in = {x}, .out = at.result(Kind::kInt, {12, 5})}, Kind::kInt);
    see({.code = Code::kArgsort, .kind = Kind::kReal, .in = {x}, .out = at.result(Kind::kInt, {12, 5}), .number = 1},
        Kind::kInt);
    see({.code = Code::kLeastMembers,
         .kind = Kind::kReal,
         .in = {x},
         .out = at.result(Kind::kBool, {12, 5}),
         .number = 4},
        Kind::kBool);
    View first = x;
    first.shape = {12, 1};
    see({.code = Code::kPutAlong, .kind = Kind::kReal, .in = {first, index}, .out = at.result(Kind::kReal, {12, 5})},
        Kind::kReal);
    CHECK_FALSE(at.run(device));
}

inline void try_out_of_range(const std::shared_ptr<Device>& device) {
    Case at;
    const View x = at.column<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6});
    const View index = at.column<std::int64_t>({2, 1}, std::vector<std::int64_t>{7, 1});
    Op op{.code = Code::kGather, .kind = Kind::kReal, .in = {x, index}, .out = at.result(Kind::kReal, {2, 1})};
    const View out = op.out;
    at.add(std::move(op));
    at.see(out, Kind::kReal);
    CHECK(at.run(device));
}

// The same numbers as on the CPU, of every kind of random node.
inline void try_draws(const std::shared_ptr<Device>& device) {
    for (const bool normal : {false, true}) {
        for (const bool by_row : {false, true}) {
            CAPTURE(normal, by_row);
            Case at;
            at.counter = 41;
            at.first_row = 9;
            Op op{.code = Code::kDraw, .kind = Kind::kReal, .in = {}, .out = at.result(Kind::kReal, {2, 3, 7, 5})};
            op.draw.key = {.seed = 3, .stream = 0x123456789ABCDEF0U};
            op.draw.rows = 7;
            op.draw.width = 5;
            op.members = 2;
            op.steps = 3;
            op.normal = normal;
            op.by_row = by_row;
            const View out = op.out;
            at.add(std::move(op));
            at.see(out, Kind::kReal);
            at.run(device);
        }
    }
}

// Of `steps` steps in 3 blocks of 11 chains.
inline void try_scans_of(const std::shared_ptr<Device>& device, std::int64_t steps) {
    const std::vector<std::int64_t> shape{3, steps, 11};
    const std::int64_t count = 33 * steps;
    std::mt19937_64 generator(static_cast<std::uint64_t>(steps));
    const auto some_flags = [&] {
        std::vector<unsigned char> out(static_cast<std::size_t>(count));
        for (unsigned char& each : out) {
            each = generator() % 9 == 0 ? 1 : 0;
        }
        return out;
    };
    for (const char* const name : {"gae", "td_lambda", "reward_to_go", "vtrace"}) {
        CAPTURE(name, steps);
        Case at;
        Op op{.code = Code::kComposite, .kind = Kind::kReal, .in = {}, .out = at.result(Kind::kReal, shape)};
        op.composite.what = find_composite(name, 1);
        REQUIRE(op.composite.what != nullptr);
        op.composite.extents = {.outer = 3, .steps = steps, .inner = 11};
        for (const char input : op.composite.what->inputs) {
            op.in.push_back(input == 'T' || input == 'D'   ? at.column(shape, some_flags())
                            : input == 'G' || input == 'L' ? at.column<float>({}, {0.97F})
                                                           : at.column(shape, normal(generator, count)));
        }
        const View out = op.out;
        const std::size_t value = op.composite.what->inputs.find('V');
        const View values = value != std::string_view::npos ? op.in[value] : View{};
        at.add(std::move(op));
        at.see(out, Kind::kReal);
        if (value != std::string_view::npos) {  // the targets of a value network
            const View sum = at.result(Kind::kReal, shape);
            at.add({.code = Code::kAdd, .kind = Kind::kReal, .in = {out, values}, .out = sum});
            at.see(sum, Kind::kReal);
        }
        at.run(device);
    }
    for (const std::int64_t reverse : {0, 1}) {
        Case at;
        const View decay = at.column<float>({steps, 33}, normal(generator, count));
        const View x = at.column<float>({steps, 33}, normal(generator, count));
        Op op{.code = Code::kScanLinear,
              .kind = Kind::kReal,
              .in = {decay, x},
              .out = at.result(Kind::kReal, {steps, 33}),
              .number = reverse};
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, Kind::kReal);
        at.run(device);
    }
}

inline void try_scans(const std::shared_ptr<Device>& device) {
    for (const std::int64_t steps : {1, 2, 9, 16, 40}) {
        try_scans_of(device, steps);
    }
}

// Windows of images, and their sums.
inline void try_images_of(const std::shared_ptr<Device>& device, std::int64_t channels) {
    std::mt19937_64 generator(11);
    for (const Window window : {Window{.height = 3, .width = 2, .stride = 1, .padding = 0, .fill = 0},
                                {.height = 3, .width = 3, .stride = 2, .padding = 1, .fill = -7},
                                {.height = 2, .width = 3, .stride = 3, .padding = 2, .fill = 0},
                                {.height = 7, .width = 5, .stride = 1, .padding = 0, .fill = 0}}) {
        CAPTURE(channels, window.height, window.width, window.stride, window.padding);
        const std::vector<std::int64_t> image{2, 7, 6, channels};
        const auto windows_of = [&](std::int64_t size, std::int64_t of) {
            return (size + 2 * window.padding - of) / window.stride + 1;
        };
        const std::int64_t places = windows_of(7, window.height) * windows_of(6, window.width);
        const std::vector<std::int64_t> windows{2, places, window.height * window.width * channels};
        Case at;
        const auto see = [&](Code code, const View& in, const std::vector<std::int64_t>& shape) {
            Op op{.code = code, .kind = Kind::kReal, .in = {in}, .out = at.result(Kind::kReal, shape)};
            op.window = window;
            const View out = op.out;
            at.add(std::move(op));
            at.see(out, Kind::kReal);
            return out;
        };
        const View x = at.column<float>(image, normal(generator, 2 * 7 * 6 * channels));
        see(Code::kUnpatch, see(Code::kPatches, x, windows), image);
        see(Code::kUnpatch, at.column<float>(windows, normal(generator, 2 * places * windows[2])), image);
        at.run(device);
    }
}

inline void try_images(const std::shared_ptr<Device>& device) {
    try_images_of(device, 3);
    try_images_of(device, 8);  // in fours
}

// A memory that each step changes: tanh(2 x + h), with the doubled input as another result.
inline void try_memories(const std::shared_ptr<Device>& device) {
    constexpr std::int64_t kSteps = 5;
    constexpr std::int64_t kSize = 13;
    for (const bool backward : {false, true}) {
        CAPTURE(backward);
        std::mt19937_64 generator(4);
        Case at;
        auto loop = std::make_shared<ScanLoop>();
        loop->steps = kSteps;
        loop->backward = backward;
        const auto buffer = [&](Buffer each) {
            loop->body.buffers.push_back(std::move(each));
            return dense_view(static_cast<std::uint32_t>(loop->body.buffers.size() - 1), {kSize});
        };
        const auto lent = [&](Passage passage) {
            const View out = buffer({.home = Home::kStep, .size = kSize, .values = {}});
            passage.buffer = out.buffer;
            loop->passages.push_back(passage);
            return out;
        };
        const float two = 2;
        Buffer constant{.home = Home::kConstant, .size = 1, .values = std::vector<std::byte>(sizeof two)};
        std::memcpy(constant.values.data(), &two, sizeof two);
        View twice = buffer(std::move(constant));
        twice.strides = {0};
        const View x = lent({.what = Passage::What::kRead, .input = 0, .stride = kSize});
        const View before = lent({.what = Passage::What::kMemory, .input = 1, .place = 0, .stride = kSize});
        const View after = lent({.what = Passage::What::kWritten, .place = 0, .stride = kSize});
        const View doubled = lent({.what = Passage::What::kWritten, .place = kSteps * kSize, .stride = kSize});
        const View sum = buffer({.home = Home::kScratch, .size = kSize, .values = {}});
        loop->body.ops.push_back({.code = Code::kMul, .in = {x, twice}, .out = doubled});
        loop->body.ops.push_back({.code = Code::kAdd, .in = {doubled, before}, .out = sum});
        loop->body.ops.push_back({.code = Code::kTanh, .in = {sum}, .out = after});
        Op op{.code = Code::kScan, .kind = Kind::kReal, .in = {}, .out = at.result(Kind::kReal, {2 * kSteps * kSize})};
        op.in = {at.column<float>({kSteps, kSize}, normal(generator, kSteps * kSize)),
                 at.column<float>({kSize}, normal(generator, kSize))};
        op.scan = std::move(loop);
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, Kind::kReal);
        at.run(device);
    }
}

// A few sizes of each kernel whose threads share memory, for a tool that takes seconds for each launch.
inline void try_sharing(const std::shared_ptr<Device>& device) {
    try_products(device, 3);
    try_long_product(device, 2, 70, 9, 1024, false, true);
    try_long_product(device, 1, 70, 40, 1500, true, false);
    try_long_product(device, 1, 2, 64, 32'000, true, false);
    reduction(Code::kSum, {9, 70}, {false, true}, false).run(device);
    reduction(Code::kMax, {512, 6}, {true, false}, false).run(device);
    reduction(Code::kSum, {1025, 6}, {true, false}, false).run(device, false);
    reduction(Code::kSum, {20'000, 3}, {true, true}, false).run(device, false);
    try_rows(device);
}

inline void try_imports(const std::shared_ptr<Device>& device) {
    const std::vector<std::byte> bytes = {std::byte{0}, std::byte{1}, std::byte{200}, std::byte{3}};
    for (const Kind kind : {Kind::kReal, Kind::kInt, Kind::kBool}) {
        Case at;
        const View x = at.column(DType::kU8, Kind::kInt, {4}, bytes);
        Op op{.code = Code::kImport, .kind = kind, .in = {x}, .out = at.result(kind, {4})};
        op.number = static_cast<std::int64_t>(DType::kU8);
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, kind);
        at.run(device);
    }
}

}  // namespace on_device
