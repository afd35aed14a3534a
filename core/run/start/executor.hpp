// SPDX-License-Identifier: Apache-2.0
// The executor of a run: a module that is loaded only when a graph must be computed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/device/device.hpp"
#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/thread/pool.hpp"
#include "compute/exec/program.hpp"

namespace tenon {

struct Wiring;

// The device that computes updates, if one does; null: the CPU. Says which updates it does not compute.
std::shared_ptr<Device> device_to_learn_on(const Wiring& wiring);

// `wanted` is run.executor. `before`: the executor that computed a run that is being resumed; `auto` keeps it, so that
// the results stay the same; empty for a new run. `pool`, `dump` and `device`: as in compiled::Setting. `updates`: the
// executor is for training. `auto` then compares the first updates with the reference; a line says so if there is no
// reference. `exchange`: of a shard, as in compiled::Setting.
Result<std::unique_ptr<Executor>> load_executor(const std::string& wanted, DType real, Pool* pool = nullptr,
                                                const std::string& before = {}, const std::filesystem::path& dump = {},
                                                std::shared_ptr<Device> device = nullptr, bool updates = false,
                                                Exchange* exchange = nullptr);

// The executor for a wiring's graphs; null if nothing acts or learns by a graph.
Result<std::unique_ptr<Executor>> load_executor_of(const Wiring& wiring, Pool& pool, const std::string& before = {},
                                                   const std::filesystem::path& dump = {},
                                                   std::shared_ptr<Device> device = nullptr, bool updates = false,
                                                   Exchange* exchange = nullptr);

// The executor of a process that only acts. `auto` compares nothing here, because there are no updates. The reference
// executor is mapped only if the program that acts cannot be compiled.
Result<std::unique_ptr<Executor>> load_acting_executor(const Wiring& wiring, const Learner& learner, Pool& pool);

// Reports what the executor that the manifest requests would refuse: kernels of another dtype and, if it is "compiled"
// alone, programs without a compiled form. Each program is lowered for a few rows; nothing is computed. Requires a
// complete wiring.
void check_executor(const Wiring& wiring, Problems& problems);

}  // namespace tenon
