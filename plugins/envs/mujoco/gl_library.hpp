// SPDX-License-Identifier: Apache-2.0
// A library that is opened at run time. It is never closed: graphics drivers leave threads and exit functions behind.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "tenon/guard.hpp"

namespace physics {

class GlLibrary {
public:
    // The first of the names that exists. Throws tenon::Unavailable.
    explicit GlLibrary(std::initializer_list<const char*> names) {
        std::string why;  // of the first, which is the usual one
        for (const char* name : names) {
            handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (handle_ != nullptr) {
                name_ = name;
                return;
            }
            const char* const said = dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread in glibc
            why = why.empty() && said != nullptr ? said : why;
        }
        throw tenon::Unavailable(why);
    }

    template <class Function>
    void find(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(dlsym(handle_, name));
        if (function == nullptr) {
            throw tenon::Unavailable(name_ + " has no " + name);
        }
    }

    // MuJoCo takes the OpenGL that the whole process sees, and only then looks at libraries that are there by chance.
    void show_to_all() const { dlopen(name_.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD); }

private:
    void* handle_ = nullptr;
    std::string name_;
};

}  // namespace physics
