// SPDX-License-Identifier: Apache-2.0
// What transforms do to a column before the policy reads it, as statements of C.
#pragma once

#include <string>

#include "commands/export/acting_policy.hpp"

namespace tenon {

struct CSteps {
    std::string data;     // constant arrays
    std::string members;  // of the state
    std::string code;
    std::string result;  // the address of the column as the policy reads it
};

// `name`: the prefix of the file's names.
CSteps c_steps(const InputChain& chain, const std::string& name);

}  // namespace tenon
