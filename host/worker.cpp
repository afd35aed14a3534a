// SPDX-License-Identifier: Apache-2.0
// The program tenon-worker: a process in which the host runs a plugin. Only the host starts it.
#include <span>

#include "tenon/core.hpp"

int main(int count, char** words) {
    return tenon::serve({words, static_cast<std::size_t>(count)});
}
