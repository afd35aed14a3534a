// SPDX-License-Identifier: Apache-2.0
// An executor that is loaded when one of its programs first runs: the reference executor behind compiled programs,
// which they ask only where something went wrong.
#pragma once

#include <functional>
#include <memory>

#include "exec/program.hpp"

namespace tenon {

using LoadExecutor = std::function<Result<std::unique_ptr<Executor>>()>;

// Its name is "reference". `load` is called once, by the thread that first runs a program; its problem is then that of
// the run. Programs copy the graph of their spec, and make the real program at their first run.
std::unique_ptr<Executor> make_deferred(LoadExecutor load);

}  // namespace tenon
