// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/profile.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "engines/compiled/dump.hpp"
#include "engines/compiled/scan_loop.hpp"

namespace tenon::compiled {
namespace {

constexpr int kRuns = 20;
constexpr int kAlone = 30;  // repetitions of a single instruction

using Clock = std::chrono::steady_clock;

template <class F>
double microseconds(F f) {
    const Clock::time_point start = Clock::now();
    f();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The cost of a transcendental function for the elements of one block.
double block_cost(Code code, DType real) {
    alignas(64) std::array<double, kBlock> x{};
    alignas(64) std::array<double, kBlock> out{};
    if (real == DType::kF64) {
        x.fill(0.5);
    } else {
        std::fill_n(reinterpret_cast<float*>(x.data()), kBlock, 0.5F);
    }
    const std::array<const void*, 3> in{x.data(), x.data(), x.data()};
    const Kernels::Map map = kernels(real).map[static_cast<std::size_t>(code)];
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kAlone; ++i) {
        least = std::min(least, microseconds([&] { map(out.data(), in.data(), kBlock); }));
    }
    return least;
}

double limit_of(const Tape& tape, const Instruction& instruction, const Call& call) {
    if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
        double total = 0;
        for (const std::uint32_t op : loop->ops) {
            const Code code = tape.listing().ops[op].code;
            const double blocks = static_cast<double>(loop->count) / static_cast<double>(kBlock);
            total += is_function(code) ? blocks * block_cost(code, tape.real()) : 0;
        }
        return total;
    }
    const Op& op = tape.listing().ops[std::get<std::uint32_t>(instruction.what)];
    if (op.scan) {
        double total = 0;
        for (const Instruction& each : op.scan->tape().instructions()) {
            total += limit_of(op.scan->tape(), each, call);
        }
        return total * static_cast<double>(op.scan->steps);
    }
    if (op.code != Code::kProduct) {
        return 0;
    }
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kAlone; ++i) {
        least = std::min(least, microseconds([&] { tape.run(instruction, call); }));
    }
    return least;
}

}  // namespace

std::vector<Spent> profile(const Tape& tape, const Call& call) {
    std::vector<Spent> out(tape.instructions().size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].what = text_of(tape.listing(), tape.instructions()[i]);
        out[i].us = std::numeric_limits<double>::infinity();
    }
    for (int run = 0; run < kRuns; ++run) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i].us = std::min(out[i].us, microseconds([&] { tape.run(tape.instructions()[i], call); }));
        }
    }
    // Runs all instructions once more in order, so that each reads its real input: products are faster on rows of
    // zeros, which the repetitions may have left.
    for (std::size_t i = 0; i < out.size(); ++i) {
        tape.run(tape.instructions()[i], call);
        out[i].limit_us = std::min(limit_of(tape, tape.instructions()[i], call), out[i].us);
    }
    return out;
}

}  // namespace tenon::compiled
