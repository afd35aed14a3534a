// SPDX-License-Identifier: Apache-2.0
// DQN's loop by hand: a program of its own, with the host as a library.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <tenon/core.hpp>

[[noreturn]] void leave(const tenon::Problems& problems) {
    for (const tenon::Problem& problem : problems) {
        std::cerr << tenon::render(problem);
    }
    std::exit(static_cast<int>(problems.front().fault));
}

template <class T>
T must(tenon::Result<T> result) {
    if (!result) {
        leave({result.error()});
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

int main(int, char** argv) {
    tenon::Problems problems;
    const auto session = tenon::Session::open({.manifest = argv[1]}, problems);
    if (!session) {
        leave(problems);
    }
    double loss = 0;
    while (session->frames() < 20'000) {
        must(session->collect());
        for (int i = 0; session->frames() >= 1'000 && i < 2; ++i) {
            const tenon::Batch rows = must(session->sample());
            loss = must(session->update(rows)).losses[0].value;
        }
    }
    const tenon::Score score = must(session->score());
    std::printf("%g after %lld updates, the last loss being %g\n", score.return_mean,
                static_cast<long long>(session->updates()), loss);
}
