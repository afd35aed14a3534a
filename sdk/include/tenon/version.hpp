// SPDX-License-Identifier: Apache-2.0
// The SDK's version and the namespace it uses. One process may load plugins built with different SDK versions; the
// version in the namespace and the hidden visibility keep the linker from merging their code.
#pragma once

#include "tenon/version.h"

#define TENON_SDK [[gnu::visibility("hidden")]] sdk_v0_1

namespace tenon {
inline namespace TENON_SDK {

inline constexpr const char* kSdkVersion = TENON_SDK_VERSION;

}  // namespace TENON_SDK
}  // namespace tenon
