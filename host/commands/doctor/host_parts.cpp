// SPDX-License-Identifier: Apache-2.0
#include "commands/doctor/host_parts.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "compute/exec/device_engine.hpp"
#include "engines/shards/device_link.hpp"
#include "engines/shards/link_engine.hpp"
#include "engines/video/ffmpeg.hpp"
#include "plugins/plugin/search_path.hpp"
#include "run/start/libtorch.hpp"
#include "shell_word.hpp"

namespace tenon {
namespace {

// The command that installs and builds something in a clone, whose root is in the file `clone` of its build folder.
// Empty: the program was not built in a clone.
std::string bring_to_clone(const std::string& wanted, const std::vector<std::string>& command) {
    std::string root;
    std::getline(std::ifstream(installed_folder() / ".." / ".." / "clone"), root, '\0');
    const std::filesystem::path clone = root;
    std::string out = host::shell_word((clone / "tools" / "setup").string()) + " " + wanted + " && " +
                      host::shell_word((clone / command.front()).string());
    for (std::size_t i = 1; i < command.size(); ++i) {
        out += " " + command[i];
    }
    return root.empty() ? "" : out;
}

MachinePart libtorch_part() {
    MachinePart part{.name = "libtorch",
                     .use = "run.executor = \"reference\", and graphs that cannot be compiled",
                     .bring = bring_to_clone("libtorch", {"tenon", "doctor"})};
    part.bring = part.bring.empty() ? "python3 -m pip install 'torch==" TENON_LIBTORCH_VERSION ".*'" : part.bring;
    const Result<Libtorch> found = find_libtorch();
    if (found) {
        part.found =
            found->path.string() + (found->version.empty() ? "" : ", version " + found->version) +
            (found->lacks_cuda.empty() ? ", on the CPU and on GPUs" : ", on the CPU only: " + found->lacks_cuda);
    } else {
        part.missing = found.error().sentence;
    }
    return part;
}

MachinePart ffmpeg_part() {
    MachinePart part{.name = "ffmpeg", .use = "videos as .mp4 and the like", .bring = "apt-get install -y ffmpeg"};
    if (const std::optional<std::filesystem::path> program = find_ffmpeg()) {
        part.found = program->string();
    } else {
        part.missing = "there is no ffmpeg in the PATH; videos are animated PNGs";
    }
    return part;
}

// Has no command: a driver without a device is of no use.
MachinePart graphics_part() {
    MachinePart part{.name = "graphics processor", .use = "pictures by EGL"};
    std::ifstream driver("/proc/driver/nvidia/version");
    std::string line;
    std::error_code code;
    if (std::getline(driver, line)) {
        part.found = line;
    } else if (std::filesystem::exists("/dev/dri/renderD128", code)) {
        part.found = "/dev/dri/renderD128";
    } else {
        part.missing = "there is no driver of a graphics processor";
    }
    return part;
}

MachinePart cuda_part(const Result<const DeviceEngine*>& engine) {
    MachinePart part{.name = "CUDA",
                     .use = "run.device = \"cuda\": envs, buffers, policies and updates with kernels, on a GPU"};
    if (!engine) {
        part.missing = engine.error().sentence + "; " + engine.error().help;
        return part;
    }
    const Result<std::vector<FoundDevice>> found = (*engine)->find_devices();
    if (!found) {
        part.missing = found.error().sentence;
        return part;
    }
    for (const FoundDevice& device : *found) {
        part.found += (part.found.empty() ? "" : "; ") + device.name + ", " + device.model + ", sm_" +
                      std::to_string(device.arch) + ", " + std::to_string(device.units) + " multiprocessors";
    }
    return part;
}

// Has no command that installs it, because the Toolkit has a different installer for every system.
MachinePart nvrtc_part(const Result<const DeviceEngine*>& engine) {
    MachinePart part{.name = "NVRTC", .use = "run.jit: loops of updates that are compiled for a GPU at run time"};
    const Result<std::string> version = engine ? (*engine)->find_compiler() : Result<std::string>(engine.error());
    if (version) {
        part.found = "NVRTC " + *version;
    } else {
        part.missing = version.error().sentence + "; " + version.error().help;
    }
    return part;
}

// For a run, TENON_NCCL names the file that the command has installed.
MachinePart nccl_part(const Result<const DeviceEngine*>& engine) {
    MachinePart part{.name = "NCCL",
                     .use = "run.shards on several GPUs: gradients that go from GPU to GPU",
                     .bring = "python3 -m pip install nvidia-nccl-cu13"};
    const Result<std::string> version = engine ? (*engine)->links->find() : Result<std::string>(engine.error());
    if (version) {
        part.found = *version;
    } else {
        part.missing = version.error().sentence + "; " + version.error().help;
    }
    return part;
}

// An engine of links between shards: its module, and the library that carries the messages.
MachinePart link_part(std::string_view name) {
    const bool is_zmq = name == "zmq";
    MachinePart part{.name = "link " + std::string(name),
                     .use = is_zmq
                                ? "run.shards: processes that share minibatches; collector.listen: workers that connect"
                                : "run.shards under the launcher of this MPI, such as mpirun or srun",
                     .bring = is_zmq ? "apt-get install -y libzmq5" : bring_to_clone("mpi", {"tools/build"})};
    const Result<const LinkEngine*> engine = load_link_engine(name);
    const Result<std::string> found = engine ? (*engine)->find() : Result<std::string>(engine.error());
    if (found) {
        part.found = *found;
    } else {
        part.missing = found.error().sentence + "; " + found.error().help;
        part.bring = is_zmq && !engine ? "" : part.bring;  // libzmq brings no module
    }
    return part;
}

}  // namespace

std::vector<MachinePart> host_parts() {
    const Result<const DeviceEngine*> engine = load_device_engine();
    std::vector<MachinePart> out = {libtorch_part(),   ffmpeg_part(),      graphics_part(),
                                    cuda_part(engine), nvrtc_part(engine), nccl_part(engine)};
    for (const std::string_view name : kLinkEngines) {
        out.push_back(link_part(name));
    }
    return out;
}

}  // namespace tenon
