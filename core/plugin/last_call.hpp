// SPDX-License-Identifier: Apache-2.0
// Which call of a plugin a process ended in, kept where another process can read it.
#pragma once

#include <signal.h>

#include <span>
#include <string>

namespace tenon {

using SignalHandler = void (*)(int signal, siginfo_t* info, void* context);

// From now on the handler gets SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, whoever had them before, and SIGALRM once
// so many seconds have gone by; on a stack of its own, so that a stack overflow of this thread is heard too.
void handle_last_signals(SignalHandler handler, double seconds);

// For such a handler: the signal ends the process as it would have without it.
void end_by(int signal);

// Puts the function that this thread is inside of there, up to a zero; leaves it as it was outside of plugins. For
// signal handlers too.
void keep_current_call(std::span<char> where);

// The last line of what a process wrote to that file, where it may say why it ended.
std::string last_line(int file);

}  // namespace tenon
