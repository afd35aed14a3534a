// SPDX-License-Identifier: Apache-2.0
// The compiler of this machine in place of NVRTC: the text of kernels becomes kernels of the emulated device.
#pragma once

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "engines/cuda/devices.hpp"
#include "engines/cuda/nvrtc.hpp"

namespace compiler {

using namespace tenon;

inline std::atomic<int> count = 0;     // of texts that became kernels
inline std::atomic<int> finished = 0;  // the same, and of those that did not

struct Image {
    std::filesystem::path folder;
    void* library = nullptr;
    std::vector<std::string> names;
    std::vector<tn_emulated_kernel> kernels;
    tn_emulated_image image{};

    Image() = default;
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;
    ~Image() {
        if (library != nullptr) {
            dlclose(library);
        }
        std::filesystem::remove_all(folder);
    }
};

inline void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

// The headers that the program brings along and no others, besides those of C++'s library.
inline void write_headers(const std::filesystem::path& folder, std::span<const KernelHeader> headers) {
    for (const KernelHeader& header : headers) {
        if (std::string_view(header.name).find('/') != std::string_view::npos) {
            write(folder / header.name, header.text);
        }
    }
}

inline std::vector<std::string> kernels_of(const std::string& text) {
    static const std::regex kKernel("__global__ [^{]*(tenon_jit_[0-9]+)\\(");
    std::vector<std::string> out;
    for (auto each = std::sregex_iterator(text.begin(), text.end(), kKernel); each != std::sregex_iterator(); ++each) {
        out.push_back((*each)[1]);
    }
    return out;
}

inline Result<std::shared_ptr<const void>> compile(const Device& device, const std::string& text,
                                                   std::span<const KernelHeader> headers,
                                                   const std::atomic<bool>& /*stop*/) {
    const std::shared_ptr<void> end(nullptr, [](void* /*none*/) { ++finished; });
    const auto out = std::make_shared<Image>();
    std::string folder = (std::filesystem::temp_directory_path() / "tenon_jit_XXXXXX").string();
    out->folder = mkdtemp(folder.data());
    write_headers(out->folder, headers);
    out->names = kernels_of(text);
    const bool together = device.table.units > 1;  // blocks wait for each other
    std::string all = text + (together ? "\n#include \"" TENON_CLUSTER "\"\n" : "\n");
    for (const std::string& name : out->names) {
        all += "extern \"C\" tn_emulated_kernel " + name +
               "_entry() { return tenon::emulated::" + (together ? "cluster<&" : "kernel<&") + name + ">(\"" + name +
               "\"); }\n";
    }
    write(out->folder / "jit.cpp", all);
    const std::string command = "cd " + folder +
                                " && " TENON_COMPILER
                                " -std=c++20 -O1 -ffp-contract=off -w -shared -fPIC -I. "
                                "jit.cpp -o jit.so > log 2>&1";
    if (std::system(command.c_str()) != 0) {
        std::stringstream log;
        log << std::ifstream(out->folder / "log").rdbuf();
        return environment_problem("the loops cannot be compiled: " + nvrtc::first_error(log.str()));
    }
    out->library = dlopen((out->folder / "jit.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    for (const std::string& name : out->names) {
        auto* const entry = reinterpret_cast<tn_emulated_kernel (*)()>(dlsym(out->library, (name + "_entry").c_str()));
        out->kernels.push_back(entry());
    }
    out->image = {.struct_size = sizeof(tn_emulated_image),
                  .count = static_cast<std::uint32_t>(out->kernels.size()),
                  .kernels = out->kernels.data()};
    ++count;
    return std::shared_ptr<const void>(out, &out->image);
}

// An emulated device whose works get kernels of their own.
inline std::shared_ptr<Device> device_that_compiles(JitWhen when = JitWhen::kAlways, std::uint32_t units = 1) {
    std::shared_ptr<Device> out = open_emulated(units);
    out->jit = when;
    out->compile = &compile;
    return out;
}

}  // namespace compiler
