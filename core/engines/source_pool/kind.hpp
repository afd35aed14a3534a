// SPDX-License-Identifier: Apache-2.0
// collector.kind = "pool": what this folder offers to others.
#pragma once

#include "train/plan/source_kind.hpp"

namespace tenon {

const SourceKind& source_pool();

}  // namespace tenon
