// SPDX-License-Identifier: Apache-2.0
// Reports which plugin has crashed the program.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT inside a plugin end the program with one sentence on stderr,
// which names the component, the function and the manifest's line, and with the exit code for a failed plugin. The same
// holds for a plugin that calls exit or quick_exit, and for threads that a plugin has started: in these the sentence
// names its file. If memory runs out where exceptions cannot propagate, the program ends with a sentence and the exit
// code for a failed environment. Signals outside of plugins, and signals that already have a handler (for example a
// sanitizer's), work as before. A stack overflow is only reported on the calling thread.
class CrashReports {
public:
    // `terminal`: there may be a progress line, which is erased first.
    explicit CrashReports(bool terminal);
    // From now on the program may end: no thread that calls exit outside of a plugin is reported.
    ~CrashReports();
    CrashReports(const CrashReports&) = delete;
    CrashReports& operator=(const CrashReports&) = delete;

    // For a program that replaces the function _exit, or _Exit, of the C library, to be called in its place: a plugin
    // that ends the program by it is reported as one that calls exit. The host itself calls end_process.
    [[noreturn]] static void end_at_once(const char* function, int code);
};

// Keeps a text that a crash prints before its sentence: the problems that would be reported at the end of this call.
// Texts add up until forget_untold; one that does not fit is dropped.
void keep_untold(std::string_view text);
void forget_untold();

// "SIGSEGV", or "signal 99" for one without a name.
std::string signal_text(int signal);

}  // namespace tenon
