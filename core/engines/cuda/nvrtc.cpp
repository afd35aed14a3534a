// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/nvrtc.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "base/file/library_functions.hpp"

namespace tenon::nvrtc {
namespace {

using Code = int;       // nvrtcResult
using Program = void*;  // nvrtcProgram

struct Functions {
    Code (*version)(int* major, int* minor);
    Code (*create)(Program* out, const char* text, const char* name, int headers, const char* const* texts,
                   const char* const* names);
    Code (*destroy)(Program* program);
    Code (*compile)(Program program, int count, const char* const* options);
    Code (*set_flow)(Program program, int (*is_stopped)(void* stop, void* none), void* stop);
    Code (*log_size)(Program program, std::size_t* bytes);
    Code (*log)(Program program, char* out);
    Code (*image_size)(Program program, std::size_t* bytes);
    Code (*image)(Program program, char* out);
    const char* (*error_name)(Code code);
};

WantedLibrary wanted_library() {
    const char* const named = std::getenv("CUDA_PATH");
    const std::string toolkit = named != nullptr ? named : "";
    const bool is_named = !toolkit.empty();
    const std::string place =
        is_named ? "in lib64 of the folder that CUDA_PATH names, " + toolkit
                 : "where the system looks for libraries (LD_LIBRARY_PATH) or in /usr/local/cuda/lib64";
    WantedLibrary out{.files = {},
                      .missing = "there is no NVRTC " + place + ": libnvrtc.so.13 cannot be loaded",
                      .too_old = "the NVRTC that was found " + place + " is too old",
                      .help = is_named ? "set CUDA_PATH to the folder of a CUDA Toolkit 13"
                                       : "install the CUDA Toolkit 13, and set CUDA_PATH to its folder if that is not "
                                         "/usr/local/cuda"};
    for (const std::string& folder : is_named ? std::vector<std::string>{toolkit + "/lib64/"}
                                              : std::vector<std::string>{"", "/usr/local/cuda/lib64/"}) {
        out.files.push_back(folder + "libnvrtc.so.13");
        out.files.push_back(folder + "libnvrtc.so");
    }
    return out;
}

Result<Functions> find_functions() {
    return functions_of<Functions>(wanted_library(), [](LibraryFunctions& functions, Functions& f) {
        functions.get("nvrtcVersion", f.version);
        functions.get("nvrtcCreateProgram", f.create);
        functions.get("nvrtcDestroyProgram", f.destroy);
        functions.get("nvrtcCompileProgram", f.compile);
        functions.get("nvrtcSetFlowCallback", f.set_flow);
        functions.get("nvrtcGetProgramLogSize", f.log_size);
        functions.get("nvrtcGetProgramLog", f.log);
        functions.get("nvrtcGetCUBINSize", f.image_size);
        functions.get("nvrtcGetCUBIN", f.image);
        functions.get("nvrtcGetErrorString", f.error_name);
    });
}

std::string log_of(const Functions& f, Program program) {
    std::size_t bytes = 0;
    if (f.log_size(program, &bytes) != 0 || bytes < 2) {
        return {};
    }
    std::string out(bytes, '\0');
    f.log(program, out.data());
    out.resize(bytes - 1);
    return out;
}

Result<std::string> compiled(const Functions& f, Program program, std::uint32_t arch, const std::atomic<bool>& stop) {
    const std::string architecture = "--gpu-architecture=sm_" + std::to_string(arch);
    const char* const options[] = {architecture.c_str(), "--std=c++20", "--fmad=false",
                                   "--device-as-default-execution-space", "--disable-warnings"};
    const auto is_stopped = [](void* flag, void* /*none*/) -> int {
        return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0;
    };
    if (const Code code = f.set_flow(program, is_stopped, const_cast<std::atomic<bool>*>(&stop)); code != 0) {
        return environment_problem("NVRTC cannot compile kernels: " + std::string(f.error_name(code)));
    }
    if (const Code code = f.compile(program, static_cast<int>(std::size(options)), options); code != 0) {
        const std::string said = first_error(log_of(f, program));
        return environment_problem("NVRTC cannot compile kernels: " +
                                   (said.empty() ? std::string(f.error_name(code)) : said));
    }
    std::size_t bytes = 0;
    Code code = f.image_size(program, &bytes);
    std::string out(bytes, '\0');
    code = code != 0 ? code : f.image(program, out.data());
    return code == 0 ? Result<std::string>(std::move(out))
                     : environment_problem("NVRTC gives no image of kernels: " + std::string(f.error_name(code)));
}

}  // namespace

Result<std::string> find() {
    const Functions found = TENON_TRY(find_functions());
    int major = 0;
    int minor = 0;
    found.version(&major, &minor);
    return std::to_string(major) + "." + std::to_string(minor);
}

std::string first_error(std::string_view log) {
    std::string_view first;
    for (std::size_t begin = 0; begin < log.size();) {
        const std::size_t end = std::min(log.find('\n', begin), log.size());
        const std::string_view line = log.substr(begin, end - begin);
        if (line.find("error") != std::string_view::npos) {
            return std::string(line);
        }
        first = first.empty() ? line : first;
        begin = end + 1;
    }
    return std::string(first);
}

Result<std::string> compile(std::uint32_t arch, const std::string& text, std::span<const KernelHeader> headers,
                            const std::atomic<bool>& stop) {
    const Functions found = TENON_TRY(find_functions());
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const KernelHeader& header : headers) {
        names.push_back(header.name);
        texts.push_back(header.text);
    }
    Program program = nullptr;
    if (const Code code = found.create(&program, text.c_str(), "jit.cu", static_cast<int>(headers.size()), texts.data(),
                                       names.data());
        code != 0) {
        return environment_problem("NVRTC cannot create a program of kernels: " + std::string(found.error_name(code)));
    }
    Result<std::string> out = compiled(found, program, arch, stop);
    found.destroy(&program);
    return out;
}

}  // namespace tenon::nvrtc
