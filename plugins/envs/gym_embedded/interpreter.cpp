// SPDX-License-Identifier: Apache-2.0
#include "interpreter.hpp"

#include <signal.h>
#include <stdlib.h>

#include <clocale>
#include <filesystem>
#include <mutex>

#include "bridge/answer.hpp"
#include "bridge/process.hpp"
#include "python.hpp"
#include "tenon/guard.hpp"

namespace embedded {
namespace {

constexpr double kSeconds = 60;  // in which Python starts

struct Interpreter {
    std::mutex mutex;
    std::string path;  // empty: none runs
};

Interpreter& interpreter() {
    static auto* const only = new Interpreter;  // never destroyed: Python stays as long
    return *only;
}

struct Told {
    std::string library;
    std::string settings;  // for prepare in tenon_worker/embedded.py
};

// Starts the interpreter as a program, once, and asks it where its library and its modules are.
Told ask(const std::string& path, const std::string& package, const std::string& name) {
    try {
        bridge::Process process(path, package);
        process.send("{\"call\":\"interpreter\"}");
        const std::string answer = bridge::answer_of(process, name, path, kSeconds);
        process.dismiss();
        const std::size_t end = answer.find('\n');
        return {answer.substr(0, end), answer.substr(end + 1)};
    } catch (const tenon::Unavailable& error) {  // the manifest's interpreter, before anything ran
        throw tenon::InvalidArgument(error.what());
    }
}

// Restores what the start of Python changes in the process: the locale, and the handler of Ctrl-C, which the module
// `signal` replaces.
class ProcessSettings {
public:
    ProcessSettings() : locale_(std::setlocale(LC_ALL, nullptr)) { ::sigaction(SIGINT, nullptr, &interrupt_); }
    ProcessSettings(const ProcessSettings&) = delete;
    ProcessSettings& operator=(const ProcessSettings&) = delete;
    ~ProcessSettings() {
        std::setlocale(LC_ALL, locale_.c_str());
        ::sigaction(SIGINT, &interrupt_, nullptr);
    }

private:
    std::string locale_;
    struct sigaction interrupt_{};
};

void initialise(const std::string& path) {
    const ProcessSettings kept;
    ::setenv("PYTHONUTF8", "1", 0);  // whatever the locale; prepare removes it
    // By its path Python finds the virtual environment, as a program does by the path it is started with.
    python.Py_SetProgramName(python.Py_DecodeLocale(path.c_str(), nullptr));
    constexpr int kNoSignalHandlers = 0;
    python.Py_InitializeEx(kNoSignalHandlers);
    const Owned module(python.PyImport_ImportModule("signal"));  // now, and not when an environment needs it
    python.PyErr_Clear();
}

void prepare(const std::string& package, const std::string& settings) {
    const Lock lock;
    // The package's folder is only needed to import the package: the package then replaces the whole list.
    const Owned folder =
        checked(python.PyUnicode_DecodeFSDefault(std::filesystem::path(package).parent_path().c_str()));
    python.PyList_Append(python.PySys_GetObject("path"), folder.get());
    const Owned module = checked(python.PyImport_ImportModule("tenon_worker.embedded"));
    const Owned word = checked(python.PyUnicode_InternFromString("prepare"));
    const Owned text = checked(python.PyUnicode_InternFromString(settings.c_str()));
    checked(python.PyObject_CallMethodObjArgs(module.get(), word.get(), text.get(), nullptr));
}

}  // namespace

void start_interpreter(const std::string& path, const std::string& package, const std::string& name) {
    Interpreter& running = interpreter();
    const std::lock_guard guard(running.mutex);
    if (running.path == path) {
        return;
    }
    if (!running.path.empty()) {
        throw tenon::InvalidArgument("python: this process has the interpreter " + running.path +
                                     ", and can have no other one: name the same one, or use gym/env in place of " +
                                     path);
    }
    const Told told = ask(path, package, name);
    load_python(told.library);
    initialise(path);
    python.PyEval_SaveThread();
    running.path = path;
    prepare(package, told.settings);
}

}  // namespace embedded
