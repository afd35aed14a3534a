// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/on_cuda.hpp"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdlib>

namespace tenon::reference {
namespace {

c10::cuda::CUDAStream stream_of(const Device& device) {
    return c10::cuda::getStreamFromExternal(static_cast<cudaStream_t>(device.stream.handle),
                                            static_cast<c10::DeviceIndex>(device.table.device_id));
}

class GraphRecording final : public Recording {
public:
    // Other threads may allocate meanwhile: libtorch computes gradients in some.
    void begin() override { graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal); }
    void end() override { graph_.capture_end(); }
    void drop() noexcept override {
        try {
            graph_.capture_end();
        } catch (const c10::Error&) {  // as expected: the driver has given up the capture
            return;
        }
    }
    void replay() override { graph_.replay(); }

private:
    at::cuda::CUDAGraph graph_;
};

}  // namespace

struct OnStream::Inner {
    // libtorch's settings for the process, which Python code in the same process may have changed.
    struct Settings {
        bool deterministic;
        bool warns;
        bool fills;  // whether memory is filled before its first use
        bool benchmarks;
        bool short_convolutions;  // whether convolutions use 10 bits of mantissa
        bool short_products;

        static Settings present() {
            const auto& context = at::globalContext();
            return {.deterministic = context.deterministicAlgorithms(),
                    .warns = context.deterministicAlgorithmsWarnOnly(),
                    .fills = context.deterministicFillUninitializedMemory(),
                    .benchmarks = context.benchmarkCuDNN(),
                    .short_convolutions = context.allowTF32CuDNN(),
                    .short_products = context.allowTF32CuBLAS()};
        }
        void set() const {
            auto& context = at::globalContext();
            context.setDeterministicAlgorithms(deterministic, warns);
            context.setDeterministicFillUninitializedMemory(fills);
            context.setBenchmarkCuDNN(benchmarks);
            context.setAllowTF32CuDNN(short_convolutions);
            context.setAllowTF32CuBLAS(short_products);
        }
    };

    Settings before = Settings::present();
    c10::cuda::CUDAStreamGuard guard;

    // Chooses settings with the same kernels in every run, and with float32 as on the CPU.
    explicit Inner(const Device& device) : guard(stream_of(device)) {
        Settings{.deterministic = true,
                 .warns = false,
                 .fills = false,
                 .benchmarks = false,
                 .short_convolutions = false,
                 .short_products = false}
            .set();
    }
    Inner(const Inner&) = delete;
    Inner& operator=(const Inner&) = delete;
    ~Inner() { before.set(); }
};

const char* lacks_cuda() {
    return at::hasCUDA() ? nullptr : "libtorch finds no GPU that it has kernels for";
}

OnStream::OnStream(const Device* device) {
    if (device == nullptr || device->table.device_type != TN_DEVICE_CUDA) {
        return;
    }
    // cuBLAS must be told, before its first use, that its workspace may not depend on what else runs.
    static const int told = ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
    static_cast<void>(told);
    at::globalContext().lazyInitDevice(at::kCUDA);
    inner_ = std::make_unique<Inner>(*device);
}

OnStream::~OnStream() = default;

std::unique_ptr<Recording> Recording::make(const Device& device) {
    return device.table.device_type == TN_DEVICE_CUDA ? std::make_unique<GraphRecording>() : nullptr;
}

}  // namespace tenon::reference
