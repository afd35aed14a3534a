// SPDX-License-Identifier: Apache-2.0
// A compiled set of expressions: instructions on numbered registers, each a number or a list of fixed length. A lane
// has registers of its own and shares the instructions. Evaluating allocates nothing.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace physics {

using Number = mjtNum* mjData::*;  // an array of the simulator

enum class Op : std::uint8_t {
    kLoad,  // from an array of the simulator, beginning at element `index`
    kTime,
    kContacts,   // how many there are
    kCopy,       // for lists of several parts, and for `before`
    kUnary,      // out[i] = unary(a[i])
    kBinary,     // out[i] = binary(a[i], b[i])
    kChoose,     // out[i] = a[i] is not 0 ? b[i] : c[i]
    kReduce,     // out = reduce(a)
    kDot,        // out = sum of a[i] * b[i]
    kTolerance,  // out[i] = tolerance(a[i]) with the bounds b, c, the margin d and the value e at the margin
};

// The forms in which dm_control's tolerance falls off.
enum class Fall : std::uint8_t { kGaussian, kLinear, kQuadratic, kLongTail };

// A part of the registers. A number serves as a list of any length.
struct Slot {
    std::uint32_t at = 0;
    std::uint32_t size = 1;

    [[nodiscard]] std::size_t each() const { return size == 1 ? 0 : 1; }
};

struct Instruction {
    Op op = Op::kCopy;
    Slot out = {};
    Slot a = {}, b = {}, c = {}, d = {}, e = {};
    Number array = nullptr;
    std::size_t index = 0;
    Fall fall = Fall::kGaussian;
    double (*unary)(double) = nullptr;
    double (*binary)(double, double) = nullptr;
    double (*reduce)(std::span<const double>) = nullptr;
};

// A name that only this program has: numbers that its env writes when an episode begins.
struct Input {
    std::string name;
    Slot slot;
};

struct Program {
    std::vector<Input> inputs;
    std::vector<Instruction> instructions;  // in the order of evaluation
    std::vector<Instruction> afterwards;    // keep what `before` asks for, when the next step begins
    std::vector<double> registers;          // with the constants in it
    bool reads_positions = false;           // whether it reads what MuJoCo derives from the state
    bool reads_contact_forces = false;      // whether it reads cfrc_ext
};

// dm_control's tolerance: 1 within the bounds, and `at_margin` at a distance of `margin` outside of them.
double tolerance(double x, double lower, double upper, double margin, Fall fall, double at_margin);

void evaluate(std::span<const Instruction> instructions, const mjData& data, std::span<double> registers);

// Adds an expression to a program. `option` names it in the sentences of mistakes, which are thrown with the column.
// `dt` is the duration of a step.
Slot compile(std::string_view text, const std::string& option, const mjModel& model, double dt, Program& program);

}  // namespace physics
