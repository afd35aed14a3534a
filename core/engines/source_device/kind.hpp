// SPDX-License-Identifier: Apache-2.0
// Lanes whose columns stay on a device: what this folder offers to others.
#pragma once

#include "train/plan/source_kind.hpp"

namespace tenon {

const SourceKind& source_device();

}  // namespace tenon
