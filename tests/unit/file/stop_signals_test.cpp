// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP, each in a child process of its own.
#include "base/file/stop_signals.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/catch.hpp"

namespace stop_signals_test {

namespace {

// Runs `body` in a child and gives the status that waitpid gives.
int in_child(void (*body)()) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        std::signal(SIGINT, SIG_DFL);  // the test program has handlers of its own
        std::signal(SIGTERM, SIG_DFL);
        std::signal(SIGHUP, SIG_DFL);
        body();
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

bool exited_with(int status, int code) {
    return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

}  // namespace

TEST_CASE("the first signal asks to stop, whichever it is") {
    CHECK(exited_with(in_child([] {
                          const tenon::StopSignals signals;
                          const bool before = tenon::StopSignals::requested();
                          raise(SIGINT);
                          _exit(!before && tenon::StopSignals::requested() ? 7 : 1);
                      }),
                      7));
    CHECK(exited_with(in_child([] {
                          const tenon::StopSignals signals;
                          raise(SIGTERM);
                          _exit(tenon::StopSignals::requested() ? 7 : 1);
                      }),
                      7));
}

TEST_CASE("a closed terminal is one request, however often it is told, and none after nohup") {
    CHECK(exited_with(in_child([] {
                          const tenon::StopSignals signals;
                          raise(SIGHUP);
                          usleep(100'000);
                          raise(SIGHUP);
                          _exit(tenon::StopSignals::requested() ? 7 : 1);
                      }),
                      7));
    CHECK(exited_with(in_child([] {
                          const tenon::StopSignals signals;
                          raise(SIGHUP);
                          raise(SIGTERM);
                          _exit(1);
                      }),
                      128 + SIGTERM));
    CHECK(exited_with(in_child([] {
                          std::signal(SIGHUP, SIG_IGN);
                          const tenon::StopSignals signals;
                          raise(SIGHUP);
                          _exit(tenon::StopSignals::requested() ? 1 : 7);
                      }),
                      7));
    const int status = in_child([] {
        {
            const tenon::StopSignals signals;
        }
        raise(SIGHUP);
    });
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP));
}

TEST_CASE("the second signal ends the process at once with 128 and its number") {
    CHECK(exited_with(in_child([] {
                          const tenon::StopSignals signals;
                          raise(SIGINT);
                          raise(SIGTERM);
                          _exit(1);
                      }),
                      128 + SIGTERM));
    CHECK(exited_with(in_child([] {
                          const tenon::StopSignals signals;
                          raise(SIGINT);
                          usleep(100'000);
                          raise(SIGINT);
                          _exit(1);
                      }),
                      128 + SIGINT));
}

TEST_CASE("a signal that comes twice at the same moment is one request") {
    CHECK(exited_with(in_child([] {
                          const tenon::StopSignals signals;
                          raise(SIGTERM);
                          raise(SIGTERM);
                          _exit(7);
                      }),
                      7));
}

TEST_CASE("a loop that is asked to stop leaves the middle of a round only after a moment") {
    CHECK(exited_with(in_child([] {
                          const tenon::StopSignals signals;
                          const bool before = tenon::StopSignals::overdue();
                          raise(SIGINT);
                          const bool at_once = tenon::StopSignals::overdue();
                          usleep(400'000);
                          _exit(!before && !at_once && tenon::StopSignals::overdue() ? 7 : 1);
                      }),
                      7));
}

TEST_CASE("an ignored Ctrl-C of a background job is handled all the same") {
    CHECK(exited_with(in_child([] {
                          std::signal(SIGINT, SIG_IGN);
                          const tenon::StopSignals signals;
                          raise(SIGINT);
                          _exit(tenon::StopSignals::requested() ? 7 : 1);
                      }),
                      7));
}

TEST_CASE("afterwards signals do what they did before, and nothing is left of a request") {
    const int status = in_child([] {
        {
            const tenon::StopSignals signals;
            raise(SIGINT);
        }
        {
            const tenon::StopSignals again;
            if (tenon::StopSignals::requested()) {
                _exit(1);
            }
        }
        raise(SIGTERM);
        _exit(2);
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("a process that is stopped and goes on has been paused") {
    CHECK(exited_with(in_child([] {
                          const tenon::StopSignals signals;
                          const int before = tenon::StopSignals::pauses();
                          const pid_t stopped = getpid();
                          const pid_t waker = fork();
                          if (waker == 0) {
                              usleep(50'000);
                              kill(stopped, SIGCONT);
                              _exit(0);
                          }
                          raise(SIGSTOP);
                          waitpid(waker, nullptr, 0);
                          _exit(tenon::StopSignals::pauses() == before + 1 && !tenon::StopSignals::requested() ? 7 : 1);
                      }),
                      7));
}

}  // namespace stop_signals_test
