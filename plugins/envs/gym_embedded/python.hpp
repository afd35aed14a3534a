// SPDX-License-Identifier: Apache-2.0
// The functions of Python's C interface that this plugin calls. They are found in the library of the interpreter that
// the user names, so the plugin is built without Python, and one build serves all versions from 3.8. All of them are in
// the stable interface, except Py_SetProgramName and the layout of a buffer, which has not changed since 3.3.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace embedded {

struct Object;  // PyObject

// Py_buffer
struct Buffer {
    void* data;
    Object* owner;
    std::ptrdiff_t bytes;
    std::ptrdiff_t item_bytes;
    int is_read_only;
    int dimensions;
    char* format;
    std::ptrdiff_t* shape;
    std::ptrdiff_t* strides;
    std::ptrdiff_t* suboffsets;
    void* internal;
};

// As the interface calls them: type, name, parameters.
#define EMBEDDED_PYTHON(X)                                               \
    X(wchar_t*, Py_DecodeLocale, (const char*, std::size_t*))            \
    X(void, Py_SetProgramName, (const wchar_t*))                         \
    X(void, Py_InitializeEx, (int))                                      \
    X(void*, PyEval_SaveThread, ())                                      \
    X(int, PyGILState_Ensure, ())                                        \
    X(void, PyGILState_Release, (int))                                   \
    X(void, Py_DecRef, (Object*))                                        \
    X(Object*, PyErr_Occurred, ())                                       \
    X(void, PyErr_Clear, ())                                             \
    X(void, PyErr_Fetch, (Object**, Object**, Object**))                 \
    X(void, PyErr_NormalizeException, (Object**, Object**, Object**))    \
    X(int, PyException_SetTraceback, (Object*, Object*))                 \
    X(Object*, PyImport_ImportModule, (const char*))                     \
    X(Object*, PySys_GetObject, (const char*))                           \
    X(int, PyList_Append, (Object*, Object*))                            \
    X(Object*, PyList_GetItem, (Object*, std::ptrdiff_t))                \
    X(std::ptrdiff_t, PyTuple_Size, (Object*))                           \
    X(Object*, PyTuple_GetItem, (Object*, std::ptrdiff_t))               \
    X(Object*, PyObject_GetAttr, (Object*, Object*))                     \
    X(Object*, PyObject_GetAttrString, (Object*, const char*))           \
    X(int, PyObject_SetAttrString, (Object*, const char*, Object*))      \
    X(Object*, PyObject_CallFunctionObjArgs, (Object*, ...))             \
    X(Object*, PyObject_CallMethodObjArgs, (Object*, Object*, ...))      \
    X(Object*, PyObject_Str, (Object*))                                  \
    X(int, PyObject_IsTrue, (Object*))                                   \
    X(int, PyObject_GetBuffer, (Object*, Buffer*, int))                  \
    X(void, PyBuffer_Release, (Buffer*))                                 \
    X(Object*, PyMemoryView_FromMemory, (char*, std::ptrdiff_t, int))    \
    X(Object*, PyUnicode_InternFromString, (const char*))                \
    X(Object*, PyUnicode_DecodeFSDefault, (const char*))                 \
    X(const char*, PyUnicode_AsUTF8AndSize, (Object*, std::ptrdiff_t*))  \
    X(Object*, PyBytes_FromStringAndSize, (const char*, std::ptrdiff_t)) \
    X(int, PyBytes_AsStringAndSize, (Object*, char**, std::ptrdiff_t*))  \
    X(double, PyFloat_AsDouble, (Object*))                               \
    X(Object*, PyNumber_Index, (Object*))                                \
    X(Object*, PyLong_FromLongLong, (long long))                         \
    X(long long, PyLong_AsLongLong, (Object*))

// The members have the names of Python's functions.
// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses)
struct Python {
#define EMBEDDED_MEMBER(type, name, parameters) type(*name) parameters = nullptr;
    EMBEDDED_PYTHON(EMBEDDED_MEMBER)
#undef EMBEDDED_MEMBER
};
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

// There is one Python in a process, whoever asks for it; load_python fills this in once.
extern Python python;

// Throws, saying why, if the library cannot be loaded or lacks a function.
void load_python(const std::string& library);

// Holds Python's lock.
class Lock {
public:
    Lock() : state_(python.PyGILState_Ensure()) {}
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() { python.PyGILState_Release(state_); }

private:
    int state_;
};

// An object that this side owns, or none after a function that has failed. Only while the lock is held.
class Owned {
public:
    Owned() = default;
    explicit Owned(Object* object) : object_(object) {}
    Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Owned() {
        if (object_ != nullptr) {
            python.Py_DecRef(object_);
        }
    }

    [[nodiscard]] Object* get() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }

private:
    Object* object_ = nullptr;
};

// An object that stays longer than the lock is held.
class Kept {
public:
    Kept() = default;
    explicit Kept(Owned object) : object_(std::move(object)) {}
    Kept(const Kept&) = delete;
    Kept& operator=(Kept&& other) noexcept {
        object_ = std::move(other.object_);
        return *this;
    }
    ~Kept() {
        if (object_) {
            const Lock lock;
            object_ = Owned();
        }
    }

    [[nodiscard]] Object* get() const { return object_.get(); }

private:
    Owned object_;
};

// The exception that Python has raised, and Python has none after that.
Owned take_exception();

// For what cannot fail unless this plugin is at fault, or memory is out: throws with what Python says.
Owned checked(Object* object);

std::string text_of(Object* object);

}  // namespace embedded
