// SPDX-License-Identifier: Apache-2.0
// A plugin that crashes takes the program with it; this lets it be told which one it was.
#pragma once

#include <string>

namespace tenon {

// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT inside of a plugin end the program with one sentence on
// stderr, which names the component, the function and the manifest's line, and with the exit code of a failed plugin;
// so does a plugin that calls exit. Memory that runs out where no exception may pass ends it with a sentence, too, and
// the exit code of a failed environment. Outside of plugins signals do what they did, and so does a signal that
// somebody handles already, a sanitizer say. A stack overflow is told on the calling thread only. `terminal`: a
// progress line may stand there and is taken away.
void report_crashes(bool terminal);

// "SIGSEGV", or "signal 99" for one without a name.
std::string signal_text(int signal);

}  // namespace tenon
