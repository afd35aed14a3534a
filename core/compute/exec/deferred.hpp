// SPDX-License-Identifier: Apache-2.0
// An executor that is loaded when one of its programs first runs. Compiled programs have the reference executor in this
// form, because they need it only to explain failures.
#pragma once

#include <functional>
#include <memory>

#include "compute/exec/program.hpp"

namespace tenon {

using LoadExecutor = std::function<Result<std::unique_ptr<Executor>>()>;

// Its name is "reference". `load` is called once, by the thread that first runs a program; its problem becomes the
// result of that run. Programs copy the graph of their spec and make the real program at their first run.
std::unique_ptr<Executor> make_deferred(LoadExecutor load);

}  // namespace tenon
