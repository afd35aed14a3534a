// SPDX-License-Identifier: Apache-2.0
// The exports of the module.
#include "compute/exec/build_id.hpp"
#include "engines/link_zmq/door.hpp"
#include "engines/link_zmq/link.hpp"

extern "C" {

__attribute__((visibility("default"))) const char* tenon_module_build() {
    return tenon::build_id();
}

__attribute__((visibility("default"))) const tenon::LinkEngine* tenon_link_engine() {
    static const tenon::LinkEngine engine{.find = tenon::zmq::find_library, .open = tenon::zmq::open_link};
    return &engine;
}

__attribute__((visibility("default"))) const tenon::DoorEngine* tenon_door_engine() {
    static const tenon::DoorEngine engine{.open = tenon::zmq::open_door, .visit = tenon::zmq::visit};
    return &engine;
}
}
