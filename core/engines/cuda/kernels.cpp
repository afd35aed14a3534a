// SPDX-License-Identifier: Apache-2.0
// The kernels for both kinds of devices, and how many threads they get.
#include "engines/cuda/kernels.hpp"

#include <algorithm>
#include <utility>

#include "base/device/own_kernels.hpp"
#include "engines/cuda/emulated_cluster.hpp"
#include "engines/cuda/kernels.cu"

#ifdef TENON_KERNELS_FILE
// Includes the file that nvcc has made byte by byte, which only the assembler can do.
// NOLINTBEGIN(portability-no-assembler,readability-identifier-naming)
asm(".pushsection .rodata\n.balign 64\ntenon_update_kernels:\n.incbin \"" TENON_KERNELS_FILE
    "\"\n.byte 0\n.popsection\n");
extern "C" __attribute__((visibility("hidden"))) const unsigned char tenon_update_kernels[];
// NOLINTEND(portability-no-assembler,readability-identifier-naming)
#endif

namespace tenon::compiled::device {
namespace {

constexpr tn_emulated_kernel kEmulated[] = {
#define TENON_KERNEL(NAME, WORK, FUNCTION) emulated::kernel<&tenon_##FUNCTION>("tenon_" #FUNCTION),
#include "engines/cuda/kernels.inc"
    emulated::cluster<&tenon_run>("tenon_run")};
constexpr std::uint32_t kCount = static_cast<std::uint32_t>(Kernel::kCount);
static_assert(std::size(kEmulated) == kCount);

constexpr tn_emulated_image kImage = {.struct_size = sizeof(tn_emulated_image), .count = kCount, .kernels = kEmulated};

constexpr const char* kNames[] = {
#define TENON_KERNEL(NAME, WORK, FUNCTION) "tenon_" #FUNCTION,
#include "engines/cuda/kernels.inc"
    "tenon_run"};

const void* image_for_cuda() {
#ifdef TENON_KERNELS_FILE
    return tenon_update_kernels;
#else
    return nullptr;
#endif
}

struct Threads {
    std::uint32_t elements;  // threads of a block
    std::uint32_t product;
    std::uint32_t wide;          // of a product of many rows
    std::uint32_t long_product;  // of a large product with a long k
    std::uint32_t long_sums;     // of a block that adds up rows or parts
    std::uint32_t runs;          // of a block that adds a run
    std::uint32_t squares;       // of a block that adds squares
    std::uint32_t together;      // blocks of a run of works
    std::uint32_t most_blocks;
};

// An emulated thread costs a microsecond, so there are only as many as show a mistake in a kernel's use of threads.
Threads threads_of(const Device& device) {
    return device.table.device_type == TN_DEVICE_EMULATED
               ? Threads{2, kProductThreads, kWideThreads, kLongThreads, kProductThreads, 3, 5, device.table.units, 2}
               : Threads{256, 512, 128, 256, 256, 1024, 256, kTogether, 4096};
}

std::uint32_t threads_of_block(const Threads& threads, Kernel kernel) {
    switch (kernel) {
        case Kernel::kProductWide:
        case Kernel::kProductTall:
        case Kernel::kProductLow:
            return threads.wide;
        case Kernel::kProductNarrow:
            return 2 * threads.wide;
        case Kernel::kProductLong:
        case Kernel::kProductFew:
            return threads.long_product;
        case Kernel::kAddParts:
        case Kernel::kReduceParts:
            return threads.long_sums;
        case Kernel::kReduceRuns:
            return threads.runs;
        case Kernel::kNorm:
        case Kernel::kSquares:
            return threads.squares;
        default:
            return threads.product;
    }
}

std::uint32_t blocks_for(const Threads& threads, std::int64_t elements) {
    const std::int64_t blocks = (elements + threads.elements - 1) / threads.elements;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, threads.most_blocks));
}

}  // namespace

Result<Kernels> load_kernels(Device& device) {
    Kernels out;
    const bool emulated = device.table.device_type == TN_DEVICE_EMULATED;
    TENON_TRY(find_own_kernels(device, emulated ? &kImage : image_for_cuda(), kNames, "updates", out.of));
    return out;
}

Status launch_elements(Device& device, const Kernels& kernels, Kernel kernel, std::int64_t elements, void* work) {
    const Threads threads = threads_of(device);
    return launch_own(device, kernels.of[static_cast<std::size_t>(kernel)], blocks_for(threads, elements),
                      threads.elements, work);
}

Status launch_blocks(Device& device, const Kernels& kernels, Kernel kernel, std::int64_t blocks, void* work) {
    const Threads threads = threads_of(device);
    return launch_own(device, kernels.of[static_cast<std::size_t>(kernel)],
                      static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, threads.most_blocks)),
                      threads_of_block(threads, kernel), work);
}

Status launch_run(Device& device, const Kernels& kernels, void* work) {
    return launch_run_of_jit(device, kernels.of[static_cast<std::size_t>(Kernel::kRun)], work);
}

Status launch_run_of_jit(Device& device, void* kernel, void* work) {
    const Threads threads = threads_of(device);
    return launch_own(device, kernel, threads.together, threads.product, work);
}

Status launch_loop_of_jit(Device& device, void* kernel, std::int64_t elements) {
    const Threads threads = threads_of(device);
    return launch_own(device, kernel, blocks_for(threads, elements), threads.elements, nullptr);
}

}  // namespace tenon::compiled::device
