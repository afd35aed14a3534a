// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/crash.hpp"

#include <cxxabi.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <typeinfo>

#include "base/file/end_process.hpp"
#include "plugins/plugin/call_scope.hpp"
#include "plugins/plugin/plugin_memory.hpp"

namespace tenon {
namespace {

struct Crash {
    int signal;
    std::string_view name;
};
constexpr std::array<Crash, 5> kCrashes = {
    {{SIGSEGV, "SIGSEGV: it accessed memory that is not mapped"},
     {SIGBUS, "SIGBUS: it accessed memory that is not mapped"},
     {SIGFPE, "SIGFPE: an integer was divided by zero, or a division overflowed"},
     {SIGILL, "SIGILL: an instruction that this machine does not support"},
     {SIGABRT, "SIGABRT: it called abort, perhaps indirectly"}}};

// A thread with an exhausted stack cannot handle a signal on it.
std::array<std::byte, std::size_t{1} << 16U> spare_stack;
thread_local std::array<char, std::size_t{1} << 14U> untold;  // not destroyed before exit's handlers run
thread_local std::size_t untold_size = 0;
bool on_terminal = false;
std::terminate_handler terminate_before = nullptr;
pid_t program = 0;
std::atomic<bool> may_end{false};  // nobody but the host ends the program before

// Text in fixed memory, written at once. Text that does not fit is dropped, and control characters are replaced: names
// of files may have some.
class Text {
public:
    Text& operator<<(std::string_view text) {
        for (const char c : text.substr(0, text_.size() - size_)) {
            const auto byte = static_cast<unsigned char>(c);
            text_[size_++] = (byte < 0x20 && c != '\n') || byte == 0x7f ? '?' : c;
        }
        return *this;
    }
    Text& operator<<(std::uint32_t number) {
        std::array<char, 10> digits{};
        std::size_t at = digits.size();
        do {
            digits[--at] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        return *this << std::string_view(digits.data() + at, digits.size() - at);
    }
    void write() const {
        if (on_terminal) {
            static_cast<void>(!::write(STDERR_FILENO, "\r\033[K", 4));
        }
        static_cast<void>(!::write(STDERR_FILENO, text_.data(), size_));
    }

private:
    std::array<char, 2048> text_{};
    std::size_t size_ = 0;
};

Text& begin(Text& text, const CallScope* scope) {
    text << "error: ";
    return scope == nullptr ? text : text << scope->component() << ", " << scope->function() << ": ";
}

Text& add_place(Text& text, const Place& place) {
    if (!place.file.empty()) {
        text << "\n --> " << place.file;
        if (place.line != 0) {
            text << ":" << place.line << ":" << place.column;
        }
    }
    return text;
}

void write_untold() {
    static_cast<void>(!::write(STDERR_FILENO, untold.data(), untold_size));
}

void add_crash(Text& text, int signal) {
    for (const Crash& crash : kCrashes) {
        if (crash.signal == signal) {
            text << " (" << crash.name << ")";
        }
    }
}

// The file of the plugin that has started this thread. Null for the main thread, and for threads in which the host
// calls plugins: outside of a call, addresses on their stacks prove nothing.
const char* plugin_of_thread(std::uintptr_t instruction, std::uintptr_t stack) {
    if (::gettid() == program || CallScope::has_called()) {
        return nullptr;
    }
    const char* const file = plugin_at(instruction);
    return file != nullptr ? file : plugin_on_stack(stack);
}

void on_crash(int signal, siginfo_t*, void* context) {
    const CallScope* const scope = CallScope::current();
    const Registers at = registers_of(context);
    const char* const file = scope == nullptr ? plugin_of_thread(at.instruction, at.stack) : nullptr;
    if (scope == nullptr && file == nullptr) {
        ::signal(signal, SIG_DFL);
        ::raise(signal);  // delivered when the handler has returned
        return;
    }
    Text text;
    begin(text, scope);
    if (file != nullptr) {
        text << file << ": the plugin crashed in a thread that it started itself";
    } else {
        text << "the plugin crashed";
    }
    add_crash(text, signal);
    if (scope != nullptr) {
        add_place(text, scope->place());
    }
    text << "\nhelp: a debugger shows the line of the plugin: gdb --args tenon ...\n";
    write_untold();
    text.write();
    end_process(static_cast<int>(Fault::kPlugin));
}

// Without this, a run whose plugin calls exit(0) would look successful.
void on_exit_inside(const char* function) {
    const CallScope* const scope = CallScope::current();
    if (::getpid() != program || (scope == nullptr && may_end)) {  // a forked child may exit
        return;
    }
    Text text;
    begin(text, scope);
    if (scope != nullptr) {
        text << "the plugin ended the program: it called " << function;
        add_place(text, scope->place());
    } else {
        const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        const char* const file = plugin_of_thread(0, here);
        text << (file != nullptr ? file : "a plugin or a library of one") << " ended the program: it called "
             << function << (::gettid() == program ? "" : " in a thread that the host did not start");
    }
    text << "\n";
    write_untold();
    text.write();
    end_process(static_cast<int>(Fault::kPlugin));
}

// Out of memory where exceptions cannot propagate: in a library's constructor, or in a noexcept function.
[[noreturn]] void on_terminate() {
    const std::type_info* const thrown = abi::__cxa_current_exception_type();
    if (thrown == nullptr || *thrown != typeid(std::bad_alloc)) {
        terminate_before();
        std::abort();
    }
    const CallScope* const scope = CallScope::current();
    Text text;
    begin(text, scope) << "there is not enough memory";
    if (scope != nullptr) {
        add_place(text, scope->place());
    }
    text << "\n";
    text.write();
    end_process(static_cast<int>(Fault::kEnvironment));
}

}  // namespace

CrashReports::CrashReports(bool terminal) {
    on_terminal = terminal;
    program = ::getpid();
    may_end = false;
    static_cast<void>(std::atexit([] { on_exit_inside("exit"); }));
    static_cast<void>(std::at_quick_exit([] { on_exit_inside("quick_exit"); }));
    terminate_before = std::set_terminate(on_terminate);
    const stack_t spare{.ss_sp = spare_stack.data(), .ss_flags = 0, .ss_size = spare_stack.size()};
    ::sigaltstack(&spare, nullptr);
    for (const Crash& crash : kCrashes) {
        struct sigaction old{};
        if (::sigaction(crash.signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) {
            continue;
        }
        struct sigaction action{};
        action.sa_sigaction = on_crash;
        action.sa_flags = SA_ONSTACK | SA_SIGINFO;
        sigemptyset(&action.sa_mask);
        ::sigaction(crash.signal, &action, nullptr);
    }
}

CrashReports::~CrashReports() {
    may_end = true;
}

void CrashReports::end_at_once(const char* function, int code) {
    if (program != 0) {
        on_exit_inside(function);
    }
    end_process(code);
}

void keep_untold(std::string_view text) {
    if (text.size() <= untold.size() - untold_size) {  // a sentence is kept as a whole or not at all
        std::memcpy(untold.data() + untold_size, text.data(), text.size());
        untold_size += text.size();
    }
}

void forget_untold() {
    untold_size = 0;
}

std::string signal_text(int signal) {
    const char* const name = ::sigabbrev_np(signal);
    return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace tenon
