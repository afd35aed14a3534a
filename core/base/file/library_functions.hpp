// SPDX-License-Identifier: Apache-2.0
// Functions of a library that was opened at run time.
#pragma once

#include <dlfcn.h>

#include <type_traits>

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

}  // namespace tenon
