// SPDX-License-Identifier: Apache-2.0
// log.tensorboard: what this folder offers to others.
#pragma once

#include "folder/records/writer_kind.hpp"

namespace tenon {

const WriterKind& writer_tensorboard();

}  // namespace tenon
