// SPDX-License-Identifier: Apache-2.0
// The one instance of a type that is an objective or a network of these tests.
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

template <class Component>
Author instance_of() {
    static const tn_host host = quiet_host();
    tn_create_args args{};
    args.struct_size = sizeof args;
    args.host = &host;
    static Component instance(args);
    return {static_cast<const tn_graph_component_api*>(Component::get_interface("tenon.graph/1")), &instance};
}

template <class T>
Author made() {
    return instance_of<GraphComponent<ObjectiveFunctions<T>>>();
}

}  // namespace tenon::test
