// SPDX-License-Identifier: Apache-2.0
// One instance of a component, destroyed with this object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "config/option/schema.hpp"
#include "plugins/plugin/apart.hpp"
#include "plugins/plugin/component.hpp"
#include "tenon/abi/random.h"

namespace tenon {

class Instance {
public:
    // `options` has one value per option of the schema, in its order and with its types. The registry that loaded the
    // component must outlive the instance.
    static Result<Instance> create(const LoadedComponent& component, const std::vector<OptionValue>& options,
                                   std::uint32_t lanes, tn_key key, const Place& place = {});

    // Takes ownership of an existing instance.
    Instance(std::string name, Place place, InstanceBody body);

    Instance(Instance&& other) noexcept;
    Instance& operator=(Instance&& other) noexcept;
    ~Instance();

    [[nodiscard]] void* self() const { return body_.self; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const Place& place() const { return place_; }

    // The functions of "tenon.env/1" and so on, or null if the component does not offer them. Loading has checked that
    // the tables are complete.
    template <class T>
    [[nodiscard]] const T* interface(const char* id) const {
        return static_cast<const T*>(body_.interface(id));
    }

    // Null for an instance in this process.
    [[nodiscard]] LostLanes* lost() const { return body_.lost; }

    // Converts the result of calling `function` to a Status with the component's name and the manifest's line.
    [[nodiscard]] Status check(tn_status status, std::string_view function) const;

private:
    std::string name_;
    Place place_;
    InstanceBody body_;  // without destroy after a move
};

}  // namespace tenon
