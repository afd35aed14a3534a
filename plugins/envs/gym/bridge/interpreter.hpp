// SPDX-License-Identifier: Apache-2.0
// Which Python runs the workers, and where their package is.
#pragma once

#include <string>

#include "tenon/options.hpp"

namespace bridge {

// The absolute path of the interpreter that the option `python` names; if it is empty, of the active virtual
// environment or else of python3 in the PATH. Links are not followed: a virtual environment is found by the path that
// its interpreter is started with. Throws if there is none.
std::string find_python(const tenon::FileOrName& option);

// The folder tenon_worker next to this library.
std::string worker_package();

}  // namespace bridge
