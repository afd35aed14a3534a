// SPDX-License-Identifier: Apache-2.0
#include "run/start/libtorch.hpp"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "compute/exec/module.hpp"
#include "compute/exec/reference_module.hpp"
#include "plugins/plugin/call_scope.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kVersion = TENON_LIBTORCH_VERSION;  // of the libtorch that this program was built with
constexpr std::size_t kAddresses = std::size_t{384} << 20;  // address space that libtorch needs, with its constructors

bool says(const std::string& text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// The help for an error of the linker, which is only a text: a lack of memory looks like a lack of permission.
std::string help_to_load(const std::string& said) {
    return says(said, {"failed to map", "Cannot allocate memory", "bad_alloc"})
               ? "there is not enough memory to map it (about 450 MB, see `ulimit -v`), or its folder is mounted with "
                 "noexec"
               : "the program needs libtenon_torch.so and libtorch " + std::string(kVersion) +
                     ": install torch==" + std::string(kVersion) +
                     ".* into the same Python environment, or build the program again; run.executor = \"compiled\" "
                     "needs neither, and a resumed run takes it with --change run.executor";
}

// Whether the process has room for libtorch. This is checked first because the linker ends the process if one of its
// threads gets no memory for thread-local data.
bool has_room() {
    void* const room = ::mmap(nullptr, kAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && ::munmap(room, kAddresses) == 0;
}

int note_path(dl_phdr_info* info, std::size_t /*size*/, void* to) {
    const fs::path path = info->dlpi_name;
    if (path.filename() == "libtorch_cpu.so") {
        *static_cast<fs::path*>(to) = path.lexically_normal();
        return 1;
    }
    return 0;
}

// The version in the Python package: `__version__ = '2.13.0+cpu'`.
std::string version_of_package(const fs::path& folder) {
    std::ifstream file(folder / "version.py");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find('\'');
        if (line.starts_with("__version__") && first != std::string::npos) {
            return line.substr(first + 1, line.find('\'', first + 1) - first - 1);
        }
    }
    return {};
}

// The version in the headers, for a package without Python files: `#define TORCH_VERSION_MAJOR 2` and so on.
std::string version_of_headers(const fs::path& folder) {
    std::ifstream file(folder / "include/torch/headeronly/version.h");
    std::string out;
    for (std::string line; std::getline(file, line);) {
        for (const std::string_view part : {"MAJOR ", "MINOR ", "PATCH "}) {
            const std::string begin = "#define TORCH_VERSION_" + std::string(part);
            out += line.starts_with(begin) ? (out.empty() ? "" : ".") + line.substr(begin.size()) : "";
        }
    }
    return out;
}

std::string version_in_package(const fs::path& library) {
    const fs::path folder = library.parent_path().parent_path();
    const std::string version = version_of_package(folder);
    return version.empty() ? version_of_headers(folder) : version;
}

Libtorch mapped_libtorch() {
    Libtorch out;
    ::dl_iterate_phdr(note_path, &out.path);
    out.version = out.path.empty() ? "" : version_in_package(out.path);
    return out;
}

std::string lacks_for(const Library& module, std::int32_t device_type) {
    const Result<void*> ask = module.symbol("tenon_torch_lacks");
    const char* const lacks = ask ? reinterpret_cast<ReferenceLacks>(*ask)(device_type) : ask.error().sentence.c_str();
    return lacks == nullptr ? "" : lacks;
}

Problem not_loaded(const std::string& said) {
    return environment_problem("the reference executor cannot be loaded: " + said, {}, help_to_load(said));
}

}  // namespace

Result<Library> load_reference_module() {
    static const Place nowhere;
    const CallScope scope("the reference executor", "loading libtorch", nowhere);  // in case its constructors crash
    if (mapped_libtorch().path.empty() && !has_room()) {
        return not_loaded("Cannot allocate memory");
    }
    Result<Library> module = load_module("libtenon_torch.so");
    if (!module) {
        return not_loaded(module.error().sentence);
    }
    const Libtorch mapped = mapped_libtorch();
    if (!mapped.version.empty() && !mapped.version.starts_with(std::string(kVersion) + ".")) {
        return not_loaded(mapped.path.string() + " is libtorch " + mapped.version + ", but libtorch " +
                          std::string(kVersion) + " is needed");
    }
    return module;
}

bool lacks_libtorch(const Problem& problem) {
    return says(problem.sentence, {"there is no ", "No such file or directory", "undefined symbol", " is needed"});
}

std::string libtorch_lacks(const Device& device) {
    const Result<Library> module = load_reference_module();
    return module ? lacks_for(*module, device.table.device_type) : "there is no libtorch here";
}

Result<Libtorch> find_libtorch() {
    const Library module = TENON_TRY(load_reference_module());
    Libtorch out = mapped_libtorch();
    out.lacks_cuda = lacks_for(module, TN_DEVICE_CUDA);
    return out;
}

}  // namespace tenon
