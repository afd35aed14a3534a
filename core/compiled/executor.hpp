// SPDX-License-Identifier: Apache-2.0
// The executor that compiles. It keeps the reference executor beside it, to say what went wrong, and in a watched one
// for what has no compiled form and to be held against.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "exec/program.hpp"
#include "thread/pool.hpp"

namespace tenon::compiled {

// Takes a line about a program that the reference executor computes after all.
using Say = void (*)(std::string_view line);

// A program that has no compiled form is a problem. `pool`: what large pieces of work are shared with, which must
// outlive the programs; null: nobody. `dump`: the folder where programs leave what they have become; empty: none.
std::unique_ptr<Executor> make_executor(std::unique_ptr<Executor> reference, Pool* pool = nullptr,
                                        const std::filesystem::path& dump = {});

// Such a program runs on the reference executor. Of the others the first runs are held against it, and where they
// disagree all of them run there from then on.
std::unique_ptr<Executor> make_watched_executor(std::unique_ptr<Executor> reference, Say say, Pool* pool = nullptr,
                                                const std::filesystem::path& dump = {});

}  // namespace tenon::compiled
