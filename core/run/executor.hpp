// SPDX-License-Identifier: Apache-2.0
// The executor of a run: a module beside the program that is mapped only when a graph has to be computed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "data/dtype.hpp"
#include "error/result.hpp"
#include "exec/program.hpp"
#include "thread/pool.hpp"

namespace tenon {

struct Wiring;

// `wanted` is run.executor. `before`: the one that a resumed run was computed by, which `auto` obeys so that the run
// goes on with the same numbers; empty for a new run. `pool` and `dump`: as compiled::Setting has them.
Result<std::unique_ptr<Executor>> load_executor(const std::string& wanted, DType real, Pool* pool = nullptr,
                                                const std::string& before = {}, const std::filesystem::path& dump = {});

// What a wiring's graphs need: null where nothing acts or learns by a graph.
Result<std::unique_ptr<Executor>> load_executor_of(const Wiring& wiring, Pool& pool, const std::string& before = {},
                                                   const std::filesystem::path& dump = {});

}  // namespace tenon
