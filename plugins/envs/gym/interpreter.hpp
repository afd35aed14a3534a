// SPDX-License-Identifier: Apache-2.0
// Which Python runs the workers, and where their script is.
#pragma once

#include <string>

namespace gym {

// The absolute path of the interpreter that the option `python` names; if it is empty, of the active virtual
// environment or else of python3 in the PATH. Links are not followed: a virtual environment is found by the path that
// its interpreter is started with. Throws if there is none.
std::string find_python(const std::string& option);

// gym_worker.py beside this library.
std::string worker_script();

}  // namespace gym
