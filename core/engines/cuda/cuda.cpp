// SPDX-License-Identifier: Apache-2.0
// A CUDA device: its primary context, and a stream that is never the default one.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/error/listed.hpp"
#include "engines/cuda/devices.hpp"
#include "engines/cuda/driver.hpp"
#include "engines/cuda/engine.hpp"
#include "engines/cuda/nvrtc.hpp"

namespace tenon {
namespace {

constexpr unsigned kNonBlocking = 1;  // of a stream: it does not wait for the default one

struct Cuda {
    driver::Functions driver{};
    int device = 0;
    void* context = nullptr;
    void* stream = nullptr;
    void* other = nullptr;  // the stream of captures, once it has been made
    Device* shown = nullptr;
    AskInWaits ask;

    Cuda() = default;
    Cuda(const Cuda&) = delete;
    Cuda& operator=(const Cuda&) = delete;
    ~Cuda() {
        for (void* const one : {stream, other}) {
            if (one != nullptr) {
                driver.stream_destroy(one);
            }
        }
        if (context != nullptr) {
            driver.release(device);
        }
    }
};

// Keeps the sentence of a failure: "cuda:1: copying to the device failed: CUDA_ERROR_..."
tn_status told(Cuda& cuda, const char* what, driver::Code code) {
    if (code == 0) {
        return TN_OK;
    }
    cuda.shown->error = cuda.shown->name + ": " + what + " failed: " + driver::name_of(cuda.driver, code);
    return TN_UNAVAILABLE;
}

Cuda& enter(void* ctx) {
    auto& cuda = *static_cast<Cuda*>(ctx);
    cuda.driver.set_current(cuda.context);
    return cuda;
}

// With other processes' devices linked, a wait may be for one that has ended. Before calls that wait for the stream in
// the driver, which nothing interrupts.
tn_status settle(Cuda& cuda) {
    constexpr auto kBetween = std::chrono::milliseconds(5);
    driver::Code code = cuda.ask ? driver::kNotReady : 0;
    const auto began = std::chrono::steady_clock::now();
    for (auto asked = began; code == driver::kNotReady;) {
        code = cuda.driver.stream_query(cuda.stream);
        const auto now = std::chrono::steady_clock::now();
        if (code != driver::kNotReady || now - asked < kBetween) {
            continue;
        }
        asked = now;
        if (const Status asks = cuda.ask(now - began); !asks) {
            cuda.shown->error = asks.error().sentence;
            return TN_UNAVAILABLE;
        }
    }
    return told(cuda, "work on the device", code);
}

tn_status alloc_cuda(void* ctx, std::uint64_t bytes, void** memory) {
    Cuda& cuda = enter(ctx);
    driver::Address address = nullptr;
    const driver::Code code = cuda.driver.mem_alloc(&address, bytes > 0 ? bytes : 1);
    if (code == driver::kOutOfMemory) {
        std::size_t free = 0;
        std::size_t total = 0;
        cuda.driver.mem_info(&free, &total);
        cuda.shown->error = cuda.shown->name + " has not enough memory: " + std::to_string(bytes) +
                            " bytes were asked for, and " + std::to_string(free) + " of " + std::to_string(total) +
                            " are free";
        return TN_OUT_OF_MEMORY;
    }
    if (code != 0) {
        return told(cuda, "allocating memory", code);
    }
    *memory = address;
    return told(cuda, "zeroing memory", cuda.driver.mem_set(address, 0, bytes > 0 ? bytes : 1, cuda.stream));
}

void free_cuda(void* ctx, void* memory) {
    if (memory != nullptr) {
        Cuda& cuda = enter(ctx);
        settle(cuda);
        cuda.driver.mem_free(memory);
    }
}

tn_status read_cuda(void* ctx, void* host, const void* memory, std::uint64_t bytes) {
    Cuda& cuda = enter(ctx);
    if (const tn_status settled = settle(cuda); settled != TN_OK) {
        return settled;
    }
    const tn_status copied =
        told(cuda, "copying from the device", cuda.driver.to_host(host, const_cast<void*>(memory), bytes, cuda.stream));
    return copied == TN_OK ? told(cuda, "work on the device", cuda.driver.stream_wait(cuda.stream)) : copied;
}

tn_status write_cuda(void* ctx, void* memory, const void* host, std::uint64_t bytes) {
    Cuda& cuda = enter(ctx);
    return told(cuda, "copying to the device", cuda.driver.to_device(memory, host, bytes, cuda.stream));
}

tn_status load_cuda(void* ctx, const void* image, void** module) {
    Cuda& cuda = enter(ctx);
    return told(cuda, "loading kernels", cuda.driver.module_load(module, image));
}

tn_status find_cuda(void* ctx, void* module, const char* name, void** kernel) {
    Cuda& cuda = enter(ctx);
    const tn_status found = told(cuda, name, cuda.driver.module_function(kernel, module, name));
    if (found == TN_OK) {
        // older devices do not know the attribute, and do not need it
        cuda.driver.function_set(*kernel, driver::kLargeClusters, 1);
    }
    return found;
}

tn_status launch_cuda(const tn_stream* stream, void* kernel, const std::uint32_t* grid, const std::uint32_t* block,
                      void* const* arguments) {
    Cuda& cuda = enter(stream->device->ctx);
    return told(cuda, "launching a kernel",
                cuda.driver.launch(kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, cuda.stream,
                                   const_cast<void**>(arguments), nullptr));
}

Result<std::shared_ptr<const void>> compile_cuda(const Device& device, const std::string& text,
                                                 std::span<const KernelHeader> headers, const std::atomic<bool>& stop) {
    std::string image = TENON_TRY(nvrtc::compile(device.table.arch, text, headers, stop));
    auto held = std::make_shared<const std::string>(std::move(image));
    return std::shared_ptr<const void>(held, held->data());
}

void unload_cuda(void* ctx, void* module) {
    Cuda& cuda = enter(ctx);
    settle(cuda);
    cuda.driver.stream_wait(cuda.stream);
    cuda.driver.module_drop(module);
}

void* pin_cuda(void* ctx, std::uint64_t bytes) {
    void* memory = nullptr;
    return enter(ctx).driver.host_alloc(&memory, bytes > 0 ? bytes : 1, 0) == 0 ? memory : nullptr;
}

void unpin_cuda(void* ctx, void* memory) {
    if (memory != nullptr) {
        enter(ctx).driver.host_free(memory);
    }
}

void swap_streams(Cuda& cuda) {
    std::swap(cuda.stream, cuda.other);
    cuda.shown->stream.handle = cuda.stream;
}

tn_status begin_capture(Device& device) {
    constexpr unsigned kBlocking = 0;  // a stream of this kind makes the driver check the default stream
    constexpr int kGlobal = 0;         // it refuses calls of all threads
    Cuda& cuda = enter(device.table.ctx);
    if (cuda.other == nullptr) {
        if (const tn_status made = told(cuda, "making a stream", cuda.driver.stream_create(&cuda.other, kBlocking));
            made != TN_OK) {
            return made;
        }
    }
    const tn_status before = told(cuda, "work on the device", cuda.driver.stream_wait(cuda.stream));
    swap_streams(cuda);
    return before == TN_OK ? told(cuda, "capturing work", cuda.driver.capture_begin(cuda.stream, kGlobal)) : before;
}

tn_status run_captured(Device& device) {
    Cuda& cuda = enter(device.table.ctx);
    void* graph = nullptr;
    void* executable = nullptr;
    tn_status status = told(cuda, "capturing work", cuda.driver.capture_end(cuda.stream, &graph));
    swap_streams(cuda);
    if (status == TN_OK) {
        status = told(cuda, "making a graph", cuda.driver.graph_make(&executable, graph, 0));
    }
    if (status == TN_OK) {
        status = told(cuda, "launching a graph", cuda.driver.graph_launch(executable, cuda.stream));
    }
    if (status == TN_OK) {
        status = told(cuda, "work on the device", cuda.driver.stream_wait(cuda.stream));
    }
    if (executable != nullptr) {
        cuda.driver.graph_drop(executable);
    }
    if (graph != nullptr) {
        cuda.driver.graph_source_drop(graph);
    }
    return status;
}

// Which of so many devices is that of this process: one after the other, if a launcher has started several processes on
// this machine.
int own_number(int count) {
    for (const char* const name :
         {"LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK"}) {
        if (const char* const text = std::getenv(name); text != nullptr && *text != '\0') {
            const std::string_view digits = text;
            int number = 0;
            std::from_chars(digits.data(), digits.data() + digits.size(), number);
            return std::max(0, number) % std::max(1, count);
        }
    }
    return 0;
}

}  // namespace

std::string bus_address(const Device& device) {
    Cuda& cuda = enter(device.table.ctx);
    char address[64] = "";
    return cuda.driver.device_bus(address, sizeof address, cuda.device) == 0 ? address : device.name;
}

void ask_in_waits(Device& device, AskInWaits ask) {
    if (device.table.device_type == TN_DEVICE_CUDA) {
        enter(device.table.ctx).ask = std::move(ask);
    }
}

Result<std::shared_ptr<Device>> open_cuda(int number, JitWhen jit) {
    const Result<driver::Functions> driver = driver::find();
    if (!driver) {
        return driver.error();
    }
    auto cuda = std::make_shared<Cuda>();
    cuda->driver = *driver;
    const auto failed = [&](const std::string& what, driver::Code code) {
        return environment_problem("cuda:" + std::to_string(number) + ": " + what + ": " + name_of(*driver, code));
    };
    int count = 0;
    if (const driver::Code code = driver->device_count(&count); code != 0) {
        return failed("the devices cannot be counted", code);
    }
    if (number < 0) {
        number = own_number(count);
    }
    if (number >= count) {
        return environment_problem("there is no device cuda:" + std::to_string(number) + "; this machine has " +
                                   counted(count, "CUDA device"));
    }
    int units = 0;
    int major = 0;
    int minor = 0;
    if (const driver::Code code = driver->device_get(&cuda->device, number); code != 0) {
        return failed("the device cannot be opened", code);
    }
    driver->device_attribute(&units, driver::kUnits, cuda->device);
    driver->device_attribute(&major, driver::kMajor, cuda->device);
    driver->device_attribute(&minor, driver::kMinor, cuda->device);
    if (const driver::Code code = driver->retain(&cuda->context, cuda->device); code != 0) {
        cuda->context = nullptr;
        if (code == driver::kUnavailable) {
            return environment_problem("cuda:" + std::to_string(number) +
                                           " is not available now: another program uses it exclusively, or its "
                                           "compute mode forbids every program",
                                       {}, "nvidia-smi shows its compute mode and who uses it");
        }
        return failed("its context cannot be made", code);
    }
    driver->set_current(cuda->context);
    if (const driver::Code code = driver->stream_create(&cuda->stream, kNonBlocking); code != 0) {
        cuda->stream = nullptr;
        return failed("no stream can be made", code);
    }
    auto out = std::make_shared<Device>();
    cuda->shown = out.get();
    out->name = "cuda:" + std::to_string(number);
    out->jit = jit;
    out->table = {.struct_size = sizeof(tn_device),
                  .device_type = TN_DEVICE_CUDA,
                  .device_id = number,
                  .arch = static_cast<std::uint32_t>(10 * major + minor),
                  .units = static_cast<std::uint32_t>(units),
                  .reserved = 0,
                  .context = cuda->context,
                  .ctx = cuda.get(),
                  .alloc = &alloc_cuda,
                  .free = &free_cuda,
                  .read = &read_cuda,
                  .write = &write_cuda,
                  .load = &load_cuda,
                  .kernel = &find_cuda};
    out->stream = {.struct_size = sizeof(tn_stream),
                   .flags = 0,
                   .device = &out->table,
                   .handle = cuda->stream,
                   .fault = nullptr,
                   .launch = &launch_cuda};
    out->pin = &pin_cuda;
    out->unpin = &unpin_cuda;
    out->compile = jit != JitWhen::kNever && nvrtc::find() ? &compile_cuda : nullptr;
    out->unload = &unload_cuda;
    out->begin_capture = &begin_capture;
    out->run_captured = &run_captured;
    out->engine = &device_engine();
    out->held = std::move(cuda);
    return out;
}

}  // namespace tenon
