// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/driver.hpp"

#include <dlfcn.h>

namespace tenon::driver {
namespace {

using Find = Code (*)(const char* name, void** function, int version, std::uint64_t flags, int* found);

template <class Function>
bool take(Find find, const char* name, Function& function) {
    void* address = nullptr;
    int found = 0;
    if (find(name, &address, 12000, 0, &found) != 0 || address == nullptr) {
        return false;
    }
    function = reinterpret_cast<Function>(address);
    return true;
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Problem too_old(const std::string& what) {
    return environment_problem("the NVIDIA driver is too old: " + what + ", but this program needs one for CUDA " +
                               version_text(kVersion) + " or later");
}

}  // namespace

std::string name_of(const Functions& functions, Code code) {
    const char* name = nullptr;
    const bool known = functions.error_name != nullptr && functions.error_name(code, &name) == 0 && name != nullptr;
    return known ? std::string(name) : "error " + std::to_string(code);
}

Result<Functions> find() {
    // Never closed: the driver has threads and exit handlers of its own.
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return environment_problem(
            "there is no NVIDIA driver on this machine: libcuda.so.1 cannot be loaded", {},
            "install the driver, or set run.device = \"emulated\", which runs the same kernels on the "
            "CPU, slowly; \"cpu\" is for runs that need none");
    }
    void* const address = dlsym(library, "cuGetProcAddress_v2");
    if (address == nullptr) {
        return too_old("its libcuda.so.1 has no cuGetProcAddress_v2");
    }
    const auto find = reinterpret_cast<Find>(address);
    Functions f{};
    const char* missing = nullptr;
    const auto get = [&](const char* name, auto& function) {
        if (missing == nullptr && !take(find, name, function)) {
            missing = name;
        }
    };
    get("cuInit", f.init);
    get("cuDriverGetVersion", f.driver_version);
    get("cuDeviceGetCount", f.device_count);
    get("cuDeviceGet", f.device_get);
    get("cuDeviceGetName", f.device_name);
    get("cuDeviceGetAttribute", f.device_attribute);
    get("cuDeviceGetPCIBusId", f.device_bus);
    get("cuDevicePrimaryCtxRetain", f.retain);
    get("cuDevicePrimaryCtxRelease", f.release);
    get("cuCtxSetCurrent", f.set_current);
    get("cuStreamCreate", f.stream_create);
    get("cuStreamDestroy", f.stream_destroy);
    get("cuStreamSynchronize", f.stream_wait);
    get("cuStreamQuery", f.stream_query);
    get("cuMemAlloc", f.mem_alloc);
    get("cuMemFree", f.mem_free);
    get("cuMemGetInfo", f.mem_info);
    get("cuMemsetD8Async", f.mem_set);
    get("cuMemcpyHtoDAsync", f.to_device);
    get("cuMemcpyDtoHAsync", f.to_host);
    get("cuMemHostAlloc", f.host_alloc);
    get("cuMemFreeHost", f.host_free);
    get("cuModuleLoadData", f.module_load);
    get("cuModuleUnload", f.module_drop);
    get("cuModuleGetFunction", f.module_function);
    get("cuFuncSetAttribute", f.function_set);
    get("cuLaunchKernel", f.launch);
    get("cuStreamBeginCapture", f.capture_begin);
    get("cuStreamEndCapture", f.capture_end);
    get("cuGraphInstantiateWithFlags", f.graph_make);
    get("cuGraphLaunch", f.graph_launch);
    get("cuGraphExecDestroy", f.graph_drop);
    get("cuGraphDestroy", f.graph_source_drop);
    get("cuGetErrorName", f.error_name);
    if (missing != nullptr) {
        return too_old("it has no " + std::string(missing));
    }
    int version = 0;
    if (const Code code = f.driver_version(&version); code != 0) {
        return environment_problem("the NVIDIA driver does not say its version: " + name_of(f, code));
    }
    if (version < kVersion) {
        return too_old("it is for CUDA " + version_text(version));
    }
    if (const Code code = f.init(0); code != 0) {
        return environment_problem("the NVIDIA driver does not start: " + name_of(f, code));
    }
    return f;
}

}  // namespace tenon::driver
