// SPDX-License-Identifier: Apache-2.0
// Where the ABI says what a function must do.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// "tenon/abi/env.h: step" for a function as CallScope names it, of a component of that kind.
std::string promised_in(std::string_view kind, std::string_view function);

}  // namespace tenon
