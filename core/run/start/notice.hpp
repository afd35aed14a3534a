// SPDX-License-Identifier: Apache-2.0
// Messages that are not failures: "no checkpoint yet: starts at 0".
#pragma once

#include <functional>
#include <string_view>

namespace tenon {

using Notice = std::function<void(std::string_view sentence)>;

}  // namespace tenon
