// SPDX-License-Identifier: Apache-2.0
// The exports of the module.
#include "compute/exec/build_id.hpp"
#include "engines/link_zmq/link.hpp"

extern "C" {

__attribute__((visibility("default"))) const char* tenon_module_build() {
    return tenon::build_id();
}

__attribute__((visibility("default"))) const tenon::LinkEngine* tenon_link_engine() {
    static const tenon::LinkEngine engine{.check = tenon::zmq::check_library, .open = tenon::zmq::open_link};
    return &engine;
}
}
