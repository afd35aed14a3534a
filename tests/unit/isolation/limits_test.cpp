// SPDX-License-Identifier: Apache-2.0
// What a process of its own may not do once it is limited, each tried in a child.
#include "engines/process/limits.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <limits>

#include "support/catch.hpp"

namespace limits_test {

using namespace tenon;

namespace {

// The wait status of a child that is limited so and then does this; its exit code is what `body` returns, or 99 where
// it could not be limited.
int ending(const IsolationRules& rules, const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(limit_this_process(rules) ? body() : 99);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

// 0: it worked; otherwise why not.
int code_of_socket(int family) {
    const int made = ::socket(family, SOCK_STREAM, 0);
    return made >= 0 ? 0 : errno;
}

}  // namespace

TEST_CASE("without a network there are sockets of this machine and no others") {
    IsolationRules rules;
    rules.network = false;
    for (const int family : {AF_INET, AF_INET6, AF_NETLINK}) {
        CHECK(WEXITSTATUS(ending(rules, [&] { return code_of_socket(family); })) == EACCES);
    }
    CHECK(WEXITSTATUS(ending(rules, [] { return code_of_socket(AF_UNIX); })) == 0);
    CHECK(WEXITSTATUS(ending({}, [] { return code_of_socket(AF_INET); })) == 0);
}

TEST_CASE("nor can a queue of calls be had, which could open them") {
    IsolationRules rules;
    rules.network = false;
    CHECK(WEXITSTATUS(ending(rules, [] { return ::syscall(SYS_io_uring_setup, 1, nullptr) >= 0 ? 0 : errno; })) ==
          EACCES);
}

TEST_CASE("memory beyond the limit is not given") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("a sanitizer maps more than any limit for itself");
#endif
    constexpr std::size_t kBytes = std::size_t{1} << 30U;
    const auto map = [] {
        return ::mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
    };
    IsolationRules rules;
    rules.memory_mb = 512;
    CHECK(WEXITSTATUS(ending(rules, map)) == ENOMEM);
    rules.memory_mb = 0;
    CHECK(WEXITSTATUS(ending(rules, map)) == 0);
}

TEST_CASE("processor time beyond the limit ends it") {
    IsolationRules rules;
    rules.processor_s = 1;
    const int status = ending(rules, [] {
        std::atomic<unsigned> work = 0;
        while (work.fetch_add(1) != std::numeric_limits<unsigned>::max()) {
        }
        return 0;
    });
    CHECK(WIFSIGNALED(status));
    CHECK((WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL));
}

}  // namespace limits_test
