// SPDX-License-Identifier: Apache-2.0
// Loops that are compiled at run time, by this machine's compiler, on the emulated device.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engines/cuda/headers.hpp"
#include "unit/update_kernels/compiler.hpp"
#include "unit/update_kernels/elementwise.hpp"
#include "unit/update_kernels/loops.hpp"

namespace jit_test {

using namespace on_device;

namespace {

std::vector<std::string> said;  // to Device::say

void listen(std::string_view line) {
    said.emplace_back(line);
}

Result<std::shared_ptr<const void>> compile_wrong(const Device& device, const std::string& text,
                                                  std::span<const KernelHeader> headers,
                                                  const std::atomic<bool>& stop) {
    return compiler::compile(device, text + "int x = unknown_name;\n", headers, stop);
}

std::atomic<bool> was_stopped = false;

Result<std::shared_ptr<const void>> compile_until_stopped(const Device& /*device*/, const std::string& /*text*/,
                                                          std::span<const KernelHeader> /*headers*/,
                                                          const std::atomic<bool>& stop) {
    while (!stop) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    was_stopped = true;
    return environment_problem("the compiler was stopped");
}

constexpr int kOften = 600;  // uses, of which some come before the compiler is at work, and some after it

// A loop that is used often, and a few times more when the compiler has finished.
void try_often(const std::shared_ptr<Device>& device) {
    std::mt19937_64 generator(4);
    Case at;
    at.times = kOften + 3;
    const int finished = compiler::finished;
    at.before = [finished](int time) {
        while (time == kOften && compiler::finished == finished) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(time > kOften ? 20 : 0));
    };
    add_elementwise(at, generator, Kind::kReal, Code::kTanh);
    at.run(device);
}

}  // namespace

TEST_CASE("every elementwise operation has the same bits when it is compiled at run time") {
    NEEDS_FMA();
    const int before = compiler::count;
    try_all_elementwise(compiler::device_that_compiles(), 3);
    CHECK(compiler::count == before + 1);
}

TEST_CASE("loops of many operations and of transposed values have the same bits when they are compiled at run time") {
    NEEDS_FMA();
    const int before = compiler::count;
    try_long_loops(compiler::device_that_compiles(), 2);
    CHECK(compiler::count == before + 1);
}

TEST_CASE("loops with launches of their own have the same bits when they are compiled at run time") {
    const int before = compiler::count;
    try_large_loops(compiler::device_that_compiles(), 3);
    CHECK(compiler::count == before + 1);  // both as one text
}

TEST_CASE("what is used often gets kernels in the background") {
    NEEDS_FMA();
    const int before = compiler::count;
    try_often(compiler::device_that_compiles(JitWhen::kLater));
    CHECK(compiler::count == before + 1);
}

TEST_CASE("who ends before the compiler does stops it") {
    NEEDS_FMA();
    const std::shared_ptr<Device> device = compiler::device_that_compiles(JitWhen::kLater);
    device->compile = &compile_until_stopped;
    device->say = &listen;
    said.clear();
    std::mt19937_64 generator(4);
    Case at;
    at.times = kOften;
    add_elementwise(at, generator, Kind::kReal, Code::kTanh);
    at.run(device);
    CHECK(was_stopped);
    CHECK(said.empty());
}

TEST_CASE("loops that cannot be compiled stay interpreted, and one sentence says why and where") {
    NEEDS_FMA();
    const std::shared_ptr<Device> device = compiler::device_that_compiles(JitWhen::kLater);
    device->compile = &compile_wrong;
    device->say = &listen;
    said.clear();
    try_often(device);
    REQUIRE(said.size() == 1);
    CHECK_THAT(said[0], Catch::Matchers::StartsWith("the loops of updates stay interpreted: ") &&
                            Catch::Matchers::ContainsSubstring("jit.cpp:") &&
                            Catch::Matchers::ContainsSubstring("unknown_name") &&
                            Catch::Matchers::EndsWith("run.jit = \"off\" does not try") &&
                            !Catch::Matchers::ContainsSubstring("\n"));
}

// Only by their names: there is no NVRTC on most machines that build.
TEST_CASE("kernels use no names of C++'s library that NVRTC is not given") {
    const std::span<const KernelHeader> headers = device::kernel_headers();
    const auto library = std::ranges::find(headers, std::string_view("cmath"), &KernelHeader::name);
    REQUIRE(library != headers.end());
    const std::string given = library->text;
    const std::regex name("std::([a-z_0-9]+)|\\b(U?INT[0-9]+_M(?:AX|IN))\\b");
    std::size_t found = 0;
    for (const KernelHeader& header : headers) {
        const std::string text = std::regex_replace(std::string(header.text), std::regex("//[^\n]*"), "");
        if (header.text == given || std::string_view(header.name) == "tenon/emulated.hpp") {  // the host's alone
            continue;
        }
        for (auto each = std::sregex_iterator(text.begin(), text.end(), name); each != std::sregex_iterator(); ++each) {
            const std::string word = (*each)[1].matched ? (*each)[1] : (*each)[2];
            CAPTURE(header.name, word);
            ++found;
            CHECK((word == "chrono" ||
                   std::regex_search(given, std::regex("\\b" + word + "\\b"))));  // times, on the host
        }
    }
    CHECK(found > 100);
}

TEST_CASE("the first error of a compiler's log is told with its place") {
    CHECK(
        nvrtc::first_error("jit.cu(3): warning: unused\njit.cu(7): error: identifier \"x\" is undefined\n1 error\n") ==
        "jit.cu(7): error: identifier \"x\" is undefined");
    CHECK(nvrtc::first_error("ptxas fatal\nmore") == "ptxas fatal");
    CHECK(nvrtc::first_error("").empty());
}

}  // namespace jit_test
