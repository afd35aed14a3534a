// SPDX-License-Identifier: Apache-2.0
// The cause of a failed call.
#pragma once

#include <string>

#include "compute/exec/program.hpp"

namespace tenon::compiled {

// Repeats the call on the reference executor, which can name the cause; `otherwise` if it finds none.
Problem blamed(Program& reference, Call call, std::string otherwise);

}  // namespace tenon::compiled
