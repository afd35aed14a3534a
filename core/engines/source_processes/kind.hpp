// SPDX-License-Identifier: Apache-2.0
// collector.kind = "processes": what this folder offers to others.
#pragma once

#include "train/plan/source_kind.hpp"

namespace tenon {

const SourceKind& source_processes();

}  // namespace tenon
