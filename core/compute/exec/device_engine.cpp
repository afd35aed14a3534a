// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/device_engine.hpp"

#include "compute/exec/module.hpp"

namespace tenon {

Result<const DeviceEngine*> load_device_engine() {
    const Result<Library> module = load_module("libtenon_cuda.so");
    const Result<void*> get = module ? module->symbol("tenon_device_engine") : Result<void*>(module.error());
    if (!get) {
        return environment_problem("the module of devices cannot be loaded: " + get.error().sentence, {},
                                   "it is made of core/engines/cuda: by `./tenon` if the command or its manifest "
                                   "names a device, by tools/build, or by `ninja tenon_cuda_module`");
    }
    return reinterpret_cast<GetDeviceEngine>(*get)();
}

Result<std::shared_ptr<Device>> open_device(std::string_view name, JitWhen jit) {
    if (!is_device(name)) {
        const std::string meant =  // "gpu" is not suggested to be a slip for "cpu"
            did_you_mean(name.starts_with("gpu") ? "cuda" : name, {"cpu", "cuda", "emulated"});
        return input_problem("'" + std::string(name) + "' is not a device; there are cpu, cuda, cuda:N and emulated" +
                             meant);
    }
    const DeviceEngine* const engine = TENON_TRY(load_device_engine());
    const std::optional<int> number = cuda_number(name);
    Result<std::shared_ptr<Device>> device = number ? engine->open_cuda(name == "cuda" ? -1 : *number, jit)
                                                    : Result<std::shared_ptr<Device>>(engine->open_emulated(1));
    if (device) {
        (*device)->name = name;
        (*device)->jit = jit;
    }
    return device;
}

Result<std::shared_ptr<Device>> open_device_or_cpu(std::string_view name, JitWhen jit) {
    return name == "cpu" ? Result<std::shared_ptr<Device>>(nullptr) : open_device(name, jit);
}

}  // namespace tenon
