// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/jit_text.hpp"

#include <cstdint>

#include "engines/cuda/jit_copy.hpp"
#include "engines/cuda/jit_loop.hpp"

namespace tenon::compiled::device {
namespace {

std::string start(std::uint64_t used_kernels) {
    return "#define TENON_USED_KERNELS " + std::to_string(used_kernels) +
           "ULL\n#include \"engines/cuda/jit.cuh\"\nusing namespace tenon::compiled::device;\n";
}

// `head`: attributes, name and parameters.
std::string kernel_text(const std::string& head, const std::string& body) {
    return "extern \"C\" __global__ void " + head + " {\n" + body + "}\n";
}

}  // namespace

std::string jit_name(std::size_t number) {
    return "tenon_jit_" + std::to_string(number);
}

std::string text_of_run(std::span<const RunStep> arranged, std::span<const TableCopy> tables) {
    std::uint64_t used = 0;
    std::string cases;
    for (std::size_t s = 0; s < arranged.size(); ++s) {
        const RunStep& step = arranged[s];
        used |= std::uint64_t{1} << static_cast<int>(step.kernel);
        if (step.kernel == Kernel::kLoop || step.kernel == Kernel::kCopy) {
            cases += "case " + std::to_string(s) + ": {\n" +
                     (step.kernel == Kernel::kLoop ? text_of_loop(work_of<LoopWork>(step), tables)
                                                   : text_of_copy(work_of<CopyWork>(step), tables)) +
                     "break;\n}\n";
        }
    }
    return start(used) + "__device__ inline void compute(std::uint32_t number, Blocks blocks) {\nswitch (number) {\n" +
           cases + "default:\nbreak;\n}\n}\n" +
           kernel_text(
               "TENON_TOGETHER TENON_BOUND(kProductThreads, 1) " + jit_name(0) + "(RunWork work)",
               "run(work, [](std::uint32_t number, const auto&, Blocks blocks) { compute(number, blocks); });\n");
}

std::string text_of_loops(std::span<const LoopWork> loops, std::span<const TableCopy> tables) {
    std::string out = start(0);
    for (std::size_t i = 0; i < loops.size(); ++i) {
        out += kernel_text(jit_name(i) + "()",
                           "const Blocks blocks{blockIdx.x, gridDim.x};\n" + text_of_loop(loops[i], tables));
    }
    return out;
}

}  // namespace tenon::compiled::device
