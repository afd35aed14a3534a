// SPDX-License-Identifier: Apache-2.0
// One instance of a component, destroyed with this object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.hpp"
#include "option/schema.hpp"
#include "plugin/component.hpp"
#include "tenon/abi/random.h"

namespace tenon {

class Instance {
public:
    // `options` has a value for every option of the schema, in its order and of its type. The registry that loaded the
    // component must outlive the instance.
    static Result<Instance> create(const LoadedComponent& component, const std::vector<OptionValue>& options,
                                   std::uint32_t lanes, tn_key key, const Place& place = {});

    Instance(Instance&& other) noexcept;
    Instance& operator=(Instance&& other) noexcept;
    ~Instance();

    [[nodiscard]] void* self() const { return self_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const Place& place() const { return place_; }

    // The functions behind "tenon.env/1" and so on, or null where the component does not offer them. Tables that this
    // host knows are complete: loading has checked it.
    template <class T>
    [[nodiscard]] const T* interface(const char* id) const {
        return static_cast<const T*>(component_->get_interface(id));
    }

    // What a call of `function` returned, as a Status with the component's name and the manifest's line.
    [[nodiscard]] Status check(tn_status status, std::string_view function) const;

private:
    Instance(std::string name, Place place, const tn_component* component, void* self);

    std::string name_;
    Place place_;
    const tn_component* component_;
    void* self_;  // null in what was moved from, and where the plugin chose null
    bool owned_ = true;
};

}  // namespace tenon
