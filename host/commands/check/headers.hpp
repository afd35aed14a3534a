// SPDX-License-Identifier: Apache-2.0
// The ABI header that defines what a function must do.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// The header and function that define a contract, "tenon/abi/env.h: step". function: as CallScope names it, of a
// component of that kind.
std::string promised_in(std::string_view kind, std::string_view function);

}  // namespace tenon
