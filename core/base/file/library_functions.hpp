// SPDX-License-Identifier: Apache-2.0
// Opens a library at run time, and finds its functions.
#pragma once

#include <dlfcn.h>

#include <string>
#include <type_traits>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

class LibraryFunctions {
public:
    explicit LibraryFunctions(void* library) : library_(library) {}

    template <class Function>
    void get(const char* name, Function& function) {
        void* const address = ::dlsym(library_, name);
        missing_ = address == nullptr && missing_ == nullptr ? name : missing_;
        function = reinterpret_cast<Function>(address);
    }

    // The name of the first function that the library does not have; null: it has all of them.
    [[nodiscard]] const char* missing() const { return missing_; }

private:
    void* library_;
    const char* missing_ = nullptr;
};

struct WantedLibrary {
    std::vector<std::string> files;  // the first one that can be opened is used
    std::string missing;             // the sentence if there is none
    std::string too_old;             // the beginning of the sentence if it lacks a function
    std::string help;
};

// The functions of a library, a struct of pointers that `look_up(functions, struct)` fills. The library is never
// closed, because it may have threads and exit handlers of its own.
template <class Functions, class LookUp>
Result<Functions> functions_of(const WantedLibrary& wanted, LookUp look_up) {
    void* opened = nullptr;
    for (const std::string& file : wanted.files) {
        opened = opened == nullptr ? ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) : opened;
    }
    if (opened == nullptr) {
        return environment_problem(wanted.missing, {}, wanted.help);
    }
    Functions out{};
    LibraryFunctions functions(opened);
    look_up(functions, out);
    if (functions.missing() != nullptr) {
        return environment_problem(wanted.too_old + ": it has no " + functions.missing(), {}, wanted.help);
    }
    return out;
}

}  // namespace tenon
