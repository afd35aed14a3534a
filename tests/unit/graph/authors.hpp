// SPDX-License-Identifier: Apache-2.0
// Units written with the SDK, which the host never includes: only the C tables cross into the tests.
#pragma once

#include "tenon/abi/graph.h"

namespace tenon::test {

struct Author {
    const tn_graph_component_api* api;
    void* self;
};

// By the name of the type in authors.cpp; it must be one.
Author author_called(const char* name);

// The line of authors.cpp that is marked with that word.
unsigned author_line(const char* mark);

}  // namespace tenon::test
