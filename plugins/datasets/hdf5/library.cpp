// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tenon/guard.hpp"
#include "tenon/spec.hpp"

namespace hdf5 {
namespace {

constexpr const char* kVariable = "TENON_HDF5";
// Debian's, and those of other distributions by HDF5's version: 1.10, 1.12, 1.14, 2.0.
constexpr std::array kNames = {"libhdf5.so",     "libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5.so.103",
                               "libhdf5.so.200", "libhdf5.so.310",        "libhdf5.so.320"};

// Folders below `folder` whose names begin so.
std::vector<std::filesystem::path> matching(const std::filesystem::path& folder, const std::string& beginning) {
    std::vector<std::filesystem::path> out;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
        if (entry.path().filename().string().starts_with(beginning)) {
            out.push_back(entry.path());
        }
    }
    std::ranges::sort(out);
    return out;
}

void* open_of_python() {
    const char* const environment = std::getenv("VIRTUAL_ENV");
    if (environment == nullptr) {
        return nullptr;
    }
    for (const auto& python : matching(std::filesystem::path(environment) / "lib", "python3")) {
        for (const auto& file : matching(python / "site-packages" / "h5py.libs", "libhdf5-")) {
            if (void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
                return opened;
            }
        }
    }
    return nullptr;
}

void* open_library() {
    if (const char* const file = std::getenv(kVariable)) {
        if (void* const opened = dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
            return opened;
        }
        throw tenon::Unavailable("TENON_HDF5 is no library that can be loaded: " + std::string(dlerror()));
    }
    for (const char* const name : kNames) {
        if (void* const opened = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return opened;
        }
    }
    if (void* const opened = open_of_python()) {
        return opened;
    }
    throw tenon::Unavailable(
        "HDF5 files need libhdf5, which this machine lacks: install it (Debian: libhdf5-103-1), activate a Python "
        "environment with h5py, or name the file in TENON_HDF5");
}

template <class Symbol>
void find(void* from, const char* name, Symbol& out) {
    out = reinterpret_cast<Symbol>(dlsym(from, name));
    if (out == nullptr) {
        throw tenon::Unavailable("the libhdf5 of this machine has no '" + std::string(name) +
                                 "'; version 1.10 or a later one is needed");
    }
}

hid_t type_in(void* from, const char* name) {
    hid_t* out = nullptr;
    find(from, name, out);
    return *out;
}

Library load() {
    void* const from = open_library();
    Library out;
#define HDF5_FIND(result, name, arguments) find(from, #name, out.name);
    HDF5_FUNCTIONS(HDF5_FIND)
#undef HDF5_FIND
    out.H5open();
    out.H5Eset_auto2(kDefault, nullptr, nullptr);  // failures become our sentences, not text on stderr
    out.f32 = type_in(from, "H5T_NATIVE_FLOAT_g");
    out.f64 = type_in(from, "H5T_NATIVE_DOUBLE_g");
    out.i64 = type_in(from, "H5T_NATIVE_INT64_g");
    out.u64 = type_in(from, "H5T_NATIVE_UINT64_g");
    out.i32 = type_in(from, "H5T_NATIVE_INT32_g");
    out.u8 = type_in(from, "H5T_NATIVE_UINT8_g");
    out.i8 = type_in(from, "H5T_NATIVE_INT8_g");
    return out;
}

}  // namespace

hid_t Library::type_of(std::int32_t dtype) const {
    switch (dtype) {
        case TN_F32:
            return f32;
        case TN_F64:
            return f64;
        case TN_I64:
            return i64;
        case TN_I32:
            return i32;
        case TN_U8:
            return u8;
        default:
            return i8;
    }
}

const Library& library() {
    static const Library loaded = load();
    return loaded;
}

}  // namespace hdf5
