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
Author instance_of(const tn_host& on = quiet_host()) {
    static const tn_host host = on;
    tn_create_args args{};
    args.struct_size = sizeof args;
    args.host = &host;
    static Component instance(args);
    return {static_cast<const tn_graph_component_api*>(Component::get_interface("tenon.graph/1")), &instance,
            static_cast<const tn_fused_api*>(Component::get_interface("tenon.fused/1"))};
}

template <class T>
Author made(const tn_host& on = quiet_host()) {
    return instance_of<GraphComponent<ObjectiveFunctions<T>>>(on);
}

}  // namespace tenon::test
