// SPDX-License-Identifier: Apache-2.0
#include "commands/check/device_promises.hpp"

#include <algorithm>
#include <vector>

#include "commands/check/workbench.hpp"
#include "compute/exec/device_engine.hpp"

namespace tenon {
namespace {

bool offers(const CheckSubject& subject, const char* interface_id) {
    const auto bench = Workbench::open(subject);
    return bench && (*bench)->component().component->get_interface(interface_id) != nullptr;
}

bool announces(const CheckSubject& subject) {
    const std::vector<std::string>& devices = subject.component->devices;
    return std::ranges::any_of(devices, [](const std::string& each) { return each == kGpu || each == kEmulated; });
}

}  // namespace

bool has_kernels(const CheckSubject& subject, const char* interface_id) {
    return announces(subject) || offers(subject, interface_id);
}

std::string odd_devices(const CheckSubject& subject, const char* interface_id) {
    const bool offered = offers(subject, interface_id);
    if (offered == announces(subject)) {
        return "";
    }
    return offered ? "it offers " + std::string(interface_id) + ", but its note names no device besides the CPU"
                   : "its note names a device besides the CPU, but it does not offer " + std::string(interface_id);
}

Verdict unless_unavailable(const Problem& problem) {
    return problem.fault == Fault::kEnvironment ? skipped(problem.sentence) : failed(problem);
}

Verdict find_gpu() {
    const Result<const DeviceEngine*> engine = load_device_engine();
    const Result<std::vector<FoundDevice>> found =
        engine ? (*engine)->find_devices() : Result<std::vector<FoundDevice>>(engine.error());
    return found ? passed() : skipped(found.error().sentence);
}

}  // namespace tenon
