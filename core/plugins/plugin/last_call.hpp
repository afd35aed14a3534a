// SPDX-License-Identifier: Apache-2.0
// The plugin call in which a process ended, stored where another process can read it.
#pragma once

#include <signal.h>

#include <span>
#include <string>

namespace tenon {

using SignalHandler = void (*)(int signal, siginfo_t* info, void* context);

// From now on the handler gets SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, replacing earlier handlers, and SIGALRM
// after this many seconds. It runs on its own stack, so that a stack overflow of this thread is handled as well.
void handle_last_signals(SignalHandler handler, double seconds);

// Ends the process by the signal, as without a handler. A SignalHandler calls it last.
void end_by(int signal);

// Writes the name of the function that this thread is executing, null-terminated; leaves the memory unchanged outside
// of plugins. Safe in signal handlers.
void keep_current_call(std::span<char> where);

// The last line that a process wrote to this file, which may say why it ended.
std::string last_line(int file);

}  // namespace tenon
