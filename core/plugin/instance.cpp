// SPDX-License-Identifier: Apache-2.0
#include "plugin/instance.hpp"

#include <utility>

#include "plugin/call.hpp"
#include "plugin/floating_point.hpp"
#include "plugin/option_values.hpp"

namespace tenon {

Instance::Instance(std::string name, Place place, const tn_component* component, void* self)
    : name_(std::move(name)), place_(std::move(place)), component_(component), self_(self) {}

Instance::Instance(Instance&& other) noexcept
    : name_(std::move(other.name_)),
      place_(std::move(other.place_)),
      component_(other.component_),
      self_(std::exchange(other.self_, nullptr)),
      owned_(std::exchange(other.owned_, false)) {}

Instance& Instance::operator=(Instance&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(place_, other.place_);
    std::swap(component_, other.component_);
    std::swap(self_, other.self_);
    std::swap(owned_, other.owned_);
    return *this;
}

Instance::~Instance() {
    if (owned_) {
        const CallScope scope(name_, "destroy", place_);
        component_->destroy(self_);
    }
}

Result<Instance> Instance::create(const LoadedComponent& component, const std::vector<OptionValue>& options,
                                  std::uint32_t lanes, tn_key key, const Place& place) {
    const AbiOptions values(component.info.note->options, options);
    const tn_create_args args{.struct_size = sizeof(tn_create_args),
                              .lanes = lanes,
                              .host = component.host,
                              .options = values.pointers().data(),
                              .option_count = values.pointers().size(),
                              .key = key};
    const Place& shown = place.file.empty() ? component.info.place : place;
    void* self = nullptr;
    const FloatingPointGuard guard;
    const tn_status status =
        call_plugin(component.info.name, "create", shown, component.component->create, &args, &self);
    if (Status made = check_call(status, component.info.name, "create", shown); !made) {
        return made.error();
    }
    return Instance(component.info.name, shown, component.component, self);
}

Status Instance::check(tn_status status, std::string_view function) const {
    return check_call(status, name_, function, place_);
}

}  // namespace tenon
