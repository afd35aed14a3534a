// SPDX-License-Identifier: Apache-2.0
// The ABI header that defines what a function must do.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// "tenon/abi/env.h: step", for a function as CallScope names it and a component of that kind.
std::string promised_in(std::string_view kind, std::string_view function);

}  // namespace tenon
