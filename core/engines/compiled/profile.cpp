// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/profile.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>

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

const Op* scan_of(const Tape& tape, const Instruction& instruction) {
    const auto* const number = std::get_if<std::uint32_t>(&instruction.what);
    const Op* const op = number == nullptr ? nullptr : &tape.listing().ops[*number];
    return op != nullptr && op->scan ? op : nullptr;
}

// Adds the instructions of a scan's body, each with its time in all steps of the scan's fastest run.
void add_body(std::vector<Spent>& out, const Tape& tape, const Instruction& instruction, const Call& call) {
    ScanLoop& scan = *scan_of(tape, instruction)->scan;
    const std::vector<Instruction>& body = scan.tape().instructions();
    std::vector<double> least;
    double least_total = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kRuns; ++run) {
        std::vector<double> spent(body.size());
        scan.watch(&spent);
        tape.run(instruction, call);
        scan.watch(nullptr);
        const double total = std::accumulate(spent.begin(), spent.end(), 0.0);
        if (total < least_total) {
            least_total = total;
            least = std::move(spent);
        }
    }
    for (std::size_t i = 0; i < body.size(); ++i) {
        const double limit = limit_of(scan.tape(), body[i], call) * static_cast<double>(scan.steps);
        out.push_back({.what = text_of(scan.tape().listing(), body[i]),
                       .us = least[i],
                       .limit_us = std::min(limit, least[i]),
                       .depth = 1});
    }
}

}  // namespace

std::vector<Spent> profile(const Tape& tape, const Call& call) {
    const std::vector<Instruction>& instructions = tape.instructions();
    std::vector<double> least(instructions.size(), std::numeric_limits<double>::infinity());
    for (int run = 0; run < kRuns; ++run) {
        for (std::size_t i = 0; i < least.size(); ++i) {
            least[i] = std::min(least[i], microseconds([&] { tape.run(instructions[i], call); }));
        }
    }
    // Runs all instructions once more in order, so that each reads its real input: products are faster on rows of
    // zeros, which the repetitions may have left.
    std::vector<Spent> out;
    for (std::size_t i = 0; i < least.size(); ++i) {
        tape.run(instructions[i], call);
        const double limit = limit_of(tape, instructions[i], call);
        out.push_back(
            {.what = text_of(tape.listing(), instructions[i]), .us = least[i], .limit_us = std::min(limit, least[i])});
        if (scan_of(tape, instructions[i]) != nullptr) {
            add_body(out, tape, instructions[i], call);
        }
    }
    return out;
}

}  // namespace tenon::compiled
