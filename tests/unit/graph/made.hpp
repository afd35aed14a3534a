// SPDX-License-Identifier: Apache-2.0
// The one instance of a type that is a unit of these tests.
#pragma once

#include "authors.hpp"
#include "tenon/objective.hpp"

namespace tenon::test {

inline tn_host quiet_host() {
    tn_host host{};
    host.struct_size = sizeof(tn_host);
    host.set_error = [](void* /*ctx*/, tn_status /*status*/, tn_str /*text*/) {};
    return host;
}

template <class T>
Author made() {
    static const tn_host host = quiet_host();
    tn_create_args args{};
    args.struct_size = sizeof args;
    args.host = &host;
    static GraphComponent<T> instance(args);
    return {static_cast<const tn_graph_component_api*>(GraphComponent<T>::get_interface("tenon.graph/1")), &instance};
}

}  // namespace tenon::test
