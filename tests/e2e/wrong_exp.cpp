// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, multiplies one result of the exponential of the C library by WRONG_BY: that of the call
// number WRONG_AT. With ATEN_CPU_CAPABILITY=default libtorch calls it, and compiled programs do not.
#include <dlfcn.h>

#include <atomic>
#include <cmath>
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) float expf(float x) {
    static std::atomic<long> calls = 0;
    static auto* const right = reinterpret_cast<float (*)(float)>(dlsym(RTLD_NEXT, "expf"));
    const char* const wrong_at = std::getenv("WRONG_AT");
    const char* const wrong_by = std::getenv("WRONG_BY");
    const bool is_wrong = wrong_at != nullptr && calls++ == std::strtol(wrong_at, nullptr, 10);
    return right(x) * (is_wrong && wrong_by != nullptr ? std::strtof(wrong_by, nullptr) : 1.0F);
}
