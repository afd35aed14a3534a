// SPDX-License-Identifier: Apache-2.0
// Objectives written for these tests with the SDK, which the host never includes: only the C tables cross.
#pragma once

#include "tenon/abi/fused.h"
#include "tenon/abi/graph.h"

namespace tenon::test {

struct Author {
    const tn_graph_component_api* api;
    void* self;
    const tn_fused_api* fused = nullptr;
};

// By the name of the type in authors.cpp; it must be one.
Author author_called(const char* name);

}  // namespace tenon::test
