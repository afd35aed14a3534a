// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/devices.hpp"
#include "engines/cuda/driver.hpp"

namespace tenon {

Result<std::vector<FoundDevice>> find_devices() {
    const Result<driver::Functions> driver = driver::find();
    if (!driver) {
        return driver.error();
    }
    int count = 0;
    if (const driver::Code code = driver->device_count(&count); code != 0) {
        return environment_problem("the devices of CUDA cannot be counted: " + name_of(*driver, code));
    }
    if (count == 0) {
        return environment_problem("the NVIDIA driver knows no device", {},
                                   "nvidia-smi lists devices; the variable CUDA_VISIBLE_DEVICES may hide them");
    }
    std::vector<FoundDevice> out;
    for (int number = 0; number < count; ++number) {
        FoundDevice& found = out.emplace_back();
        found.name = "cuda:" + std::to_string(number);
        int device = 0;
        char model[256] = "";
        driver::Code code = driver->device_get(&device, number);
        code = code != 0 ? code : driver->device_name(model, sizeof model, device);
        if (code != 0) {
            return environment_problem("the driver does not give the name of " + found.name + ": " +
                                       name_of(*driver, code));
        }
        found.model = model;
        int major = 0;
        int minor = 0;
        driver->device_attribute(&found.units, driver::kUnits, device);
        driver->device_attribute(&major, driver::kMajor, device);
        driver->device_attribute(&minor, driver::kMinor, device);
        found.arch = 10 * major + minor;
    }
    return out;
}

}  // namespace tenon
