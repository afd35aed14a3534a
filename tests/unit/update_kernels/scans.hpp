// SPDX-License-Identifier: Apache-2.0
// Estimators, recurrences and memories, which go through steps in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/compiled/scan_loop.hpp"
#include "unit/update_kernels/on_device.hpp"

namespace on_device {

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
            const View out = buffer({.segment = Segment::kStep, .size = kSize, .values = {}});
            passage.buffer = out.buffer;
            loop->passages.push_back(passage);
            return out;
        };
        const float two = 2;
        Buffer constant{.segment = Segment::kConstant, .size = 1, .values = std::vector<std::byte>(sizeof two)};
        std::memcpy(constant.values.data(), &two, sizeof two);
        View twice = buffer(std::move(constant));
        twice.strides = {0};
        const View x = lent({.what = Passage::What::kRead, .input = 0, .stride = kSize});
        const View before = lent({.what = Passage::What::kMemory, .input = 1, .place = 0, .stride = kSize});
        const View after = lent({.what = Passage::What::kWritten, .place = 0, .stride = kSize});
        const View doubled = lent({.what = Passage::What::kWritten, .place = kSteps * kSize, .stride = kSize});
        const View sum = buffer({.segment = Segment::kScratch, .size = kSize, .values = {}});
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

}  // namespace on_device
