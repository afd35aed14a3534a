// SPDX-License-Identifier: Apache-2.0
#include "python.hpp"

#include <dlfcn.h>

#include "tenon/guard.hpp"

namespace embedded {

Python python;

void load_python(const std::string& library) {
    // Extension modules, such as numpy's, find the interface among the symbols of all loaded libraries.
    void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
        throw tenon::InvalidArgument("Python's library cannot be loaded: " + std::string(::dlerror()));
    }
    Python found;
    const auto find = [&]<class Function>(Function& function, const char* name) {
        function = reinterpret_cast<Function>(::dlsym(handle, name));
        if (function == nullptr) {
            throw tenon::InvalidArgument(library + " has no function " + name +
                                         ": name another version of Python, or use gym/env");
        }
    };
#define EMBEDDED_FIND(type, name, parameters) find(found.name, #name);
    EMBEDDED_PYTHON(EMBEDDED_FIND)
#undef EMBEDDED_FIND
    python = found;
}

Owned take_exception() {
    Object* type = nullptr;
    Object* value = nullptr;
    Object* places = nullptr;
    python.PyErr_Fetch(&type, &value, &places);
    python.PyErr_NormalizeException(&type, &value, &places);
    const Owned kept_type(type);
    const Owned kept_places(places);
    if (value != nullptr && places != nullptr) {
        python.PyException_SetTraceback(value, places);
    }
    return Owned(value);
}

std::string text_of(Object* object) {
    std::ptrdiff_t size = 0;
    const Owned text(object == nullptr ? nullptr : python.PyObject_Str(object));
    const char* const data = text ? python.PyUnicode_AsUTF8AndSize(text.get(), &size) : nullptr;
    if (data == nullptr) {
        python.PyErr_Clear();
        return "an error that has no text";
    }
    return {data, static_cast<std::size_t>(size)};
}

Owned checked(Object* object) {
    if (object == nullptr) {
        throw tenon::Error(TN_INTERNAL, "Python in this process failed: " + text_of(take_exception().get()));
    }
    return Owned(object);
}

}  // namespace embedded
