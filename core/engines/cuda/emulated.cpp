// SPDX-License-Identifier: Apache-2.0
// The device of tests: its memory is the host's, and launching a kernel runs it (sdk: tenon/emulated.hpp).
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "engines/cuda/devices.hpp"
#include "engines/cuda/engine.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kAlignment = 256;

// Memory of its exact size, so that AddressSanitizer notices a kernel that leaves it.
void* take(std::uint64_t bytes) {
    void* memory = nullptr;
    if (posix_memalign(&memory, kAlignment, bytes > 0 ? bytes : 1) != 0) {
        return nullptr;
    }
    std::memset(memory, 0, bytes);
    return memory;
}

tn_status alloc_emulated(void* ctx, std::uint64_t bytes, void** memory) {
    *memory = take(bytes);
    if (*memory == nullptr) {
        static_cast<Device*>(ctx)->error = "the emulated device has no " + std::to_string(bytes) + " bytes of memory";
        return TN_OUT_OF_MEMORY;
    }
    return TN_OK;
}

void free_emulated(void* /*ctx*/, void* memory) {
    std::free(memory);
}

tn_status copy_emulated(void* /*ctx*/, void* to, const void* from, std::uint64_t bytes) {
    if (bytes > 0) {
        std::memcpy(to, from, bytes);
    }
    return TN_OK;
}

tn_status load_emulated(void* /*ctx*/, const void* image, void** module) {
    *module = const_cast<void*>(image);
    return TN_OK;
}

tn_status find_emulated(void* ctx, void* module, const char* name, void** kernel) {
    const auto* image = static_cast<const tn_emulated_image*>(module);
    for (std::uint32_t i = 0; i < image->count; ++i) {
        if (std::string_view(image->kernels[i].name) == name) {
            *kernel = const_cast<tn_emulated_kernel*>(&image->kernels[i]);
            return TN_OK;
        }
    }
    static_cast<Device*>(ctx)->error = "there is no emulated kernel '" + std::string(name) + "'";
    return TN_UNAVAILABLE;
}

tn_status launch_emulated(const tn_stream* stream, void* kernel, const std::uint32_t* grid, const std::uint32_t* block,
                          void* const* arguments) {
    try {
        static_cast<const tn_emulated_kernel*>(kernel)->run(grid, block, arguments);
        return TN_OK;
    } catch (const std::system_error& failed) {  // starting the threads of a cluster's blocks failed
        static_cast<Device*>(stream->device->ctx)->error =
            "the emulated device has no thread for each block of a cluster: " + std::string(failed.what());
        return TN_UNAVAILABLE;
    }
}

}  // namespace

std::shared_ptr<Device> open_emulated(std::uint32_t units) {
    auto out = std::make_shared<Device>();
    out->name = "emulated";
    out->table = {.struct_size = sizeof(tn_device),
                  .device_type = TN_DEVICE_EMULATED,
                  .device_id = 0,
                  .arch = 0,
                  .units = units,
                  .reserved = 0,
                  .context = nullptr,
                  .ctx = out.get(),
                  .alloc = &alloc_emulated,
                  .free = &free_emulated,
                  .read = &copy_emulated,
                  .write = &copy_emulated,
                  .load = &load_emulated,
                  .kernel = &find_emulated};
    out->stream = {.struct_size = sizeof(tn_stream),
                   .flags = 0,
                   .device = &out->table,
                   .handle = nullptr,
                   .fault = nullptr,
                   .launch = &launch_emulated};
    out->pin = [](void* /*ctx*/, std::uint64_t bytes) { return take(bytes); };
    out->unpin = &free_emulated;
    out->unload = [](void* /*ctx*/, void* /*module*/) {};
    out->engine = &device_engine();
    return out;
}

}  // namespace tenon
