// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/jit_loop.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engines/compiled/codes.hpp"
#include "engines/cuda/jit_places.hpp"

namespace tenon::compiled::device {
namespace {

struct OpName {
    std::uint16_t op;
    int inputs;
    std::string_view function;
};

constexpr int kKind_real = 0;     // NOLINT(readability-identifier-naming): this and the next two are named in maps.inc
constexpr int kKind_integer = 1;  // NOLINT(readability-identifier-naming)
constexpr int kKind_logical = 2;  // NOLINT(readability-identifier-naming)

#define TENON_OP(KIND, CODE, INPUTS) \
    {static_cast<std::uint16_t>(kKind_##KIND << 8 | static_cast<int>(Code::CODE)), INPUTS, "ops::" #KIND "_" #CODE},
constexpr OpName kNames[] = {
#define TENON_MAP1(KIND, CODE, ...) TENON_OP(KIND, CODE, 1)
#define TENON_MAP2(KIND, CODE, ...) TENON_OP(KIND, CODE, 2)
#define TENON_MAP3(KIND, CODE, ...) TENON_OP(KIND, CODE, 3)
#include "engines/compiled/kernels/maps.inc"
#undef TENON_MAP1
#undef TENON_MAP2
#undef TENON_MAP3
    TENON_OP(real, kTanh, 1)};

// The name of an operation; every operation of a loop has one.
const OpName& name_of(std::uint16_t op) {
    return *std::ranges::find(kNames, op, &OpName::op);
}

std::string element_text(const Place& place, std::uint16_t bytes) {
    return "static_cast<" + std::string(type_of(bytes)) + "*>(" + address_text(place.at) + ")[" + place_text(place) +
           "]";
}

}  // namespace

std::string text_of_loop(const LoopWork& work, std::span<const TableCopy> tables) {
    const std::vector<Place> places = entries_of(work.places, work.place_count, tables);
    const std::vector<LoopStep> steps = entries_of(work.steps, work.step_count, tables);
    const std::string index(index_type(places, work.count));
    std::string out = "for (" + index + " i = first_of_thread(blocks); i < " + std::to_string(work.count) +
                      "; i += all_threads(blocks)) {\n";
    std::vector<std::string> slots(kMostSlots);  // the value that each slot holds now
    int values = 0;
    for (const LoopStep& step : steps) {
        if (step.op == kStore) {
            out += element_text(places[step.in[1]], step.bytes) + " = " + slots[step.in[0]] + ";\n";
            continue;
        }
        std::string value;
        if (step.op == kLoad) {
            value = element_text(places[step.in[0]], step.bytes);
        } else {
            const OpName& op = name_of(step.op);
            value = op.function;
            for (int n = 0; n < op.inputs; ++n) {
                value += (n == 0 ? "(" : ", ") + slots[step.in[n]];
            }
            value += ')';
        }
        slots[step.out] = "v" + std::to_string(values++);
        out += "const auto " + slots[step.out] + " = " + value + ";\n";
    }
    return out + "}\n";
}

}  // namespace tenon::compiled::device
