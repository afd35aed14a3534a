// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/instance.hpp"

#include <utility>

#include "plugins/plugin/call.hpp"
#include "plugins/plugin/floating_point.hpp"
#include "plugins/plugin/option_values.hpp"

namespace tenon {

Instance::Instance(std::string name, Place place, InstanceBody body)
    : name_(std::move(name)), place_(std::move(place)), body_(std::move(body)) {}

Instance::Instance(Instance&& other) noexcept
    : name_(std::move(other.name_)), place_(std::move(other.place_)), body_(std::exchange(other.body_, {})) {}

Instance& Instance::operator=(Instance&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(place_, other.place_);
    std::swap(body_, other.body_);
    return *this;
}

Instance::~Instance() {
    if (body_.destroy) {
        const CallScope scope(name_, "destroy", place_);
        body_.destroy();
    }
}

Result<Instance> Instance::create(const LoadedComponent& component, const std::vector<OptionValue>& options,
                                  std::uint32_t lanes, tn_key key, const Place& place) {
    const Place& shown = place.file.empty() ? component.info.place : place;
    if (component.create_apart) {
        return component.create_apart(options, lanes, key, shown);
    }
    const AbiOptions values(component.info.note->options, options);
    const tn_create_args args{.struct_size = sizeof(tn_create_args),
                              .lanes = lanes,
                              .host = component.host,
                              .options = values.pointers().data(),
                              .option_count = values.pointers().size(),
                              .key = key};
    void* self = nullptr;
    const FloatingPointGuard guard;
    const tn_status status =
        call_plugin(component.info.name, "create", shown, component.component->create, &args, &self);
    TENON_TRY(check_call(status, component.info.name, "create", shown));
    const tn_component* const its = component.component;
    return Instance(component.info.name, shown,
                    {.self = self,
                     .interface = [its](const char* id) { return its->get_interface(id); },
                     .destroy = [its, self] { its->destroy(self); }});
}

Status Instance::check(tn_status status, std::string_view function) const {
    return check_call(status, name_, function, place_);
}

}  // namespace tenon
