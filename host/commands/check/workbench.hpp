// SPDX-License-Identifier: Apache-2.0
// A loaded plugin for a check, and instances of the component that is checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/thread/pool.hpp"
#include "commands/check/check.hpp"
#include "plugins/plugin/host_services.hpp"
#include "plugins/plugin/instance.hpp"
#include "plugins/plugin/load.hpp"

namespace tenon {

class Workbench {
public:
    static Result<std::unique_ptr<Workbench>> open(const CheckSubject& subject);

    // Makes the component with the subject's options; all its instances have the same key.
    [[nodiscard]] Result<Instance> make(std::uint32_t lanes) const;
    [[nodiscard]] tn_key key(std::string_view name) const;  // for random numbers of the check itself

    [[nodiscard]] const CheckSubject& subject() const { return *subject_; }
    [[nodiscard]] const LoadedPlugin& plugin() const { return *plugin_; }
    [[nodiscard]] LoadedComponent component() const;
    [[nodiscard]] const tn_host& host() const { return services_.table(); }

private:
    explicit Workbench(const CheckSubject& subject) : subject_(&subject), pool_(1), services_(pool_) {}

    const CheckSubject* subject_;
    Pool pool_;
    HostServices services_;
    std::unique_ptr<LoadedPlugin> plugin_;
};

// Options as a run passes them to calls.
std::vector<double> as_numbers(const std::vector<OptionValue>& options);

// "walk/Walk-v0".
std::string full_name(const CheckSubject& subject);

// Whether this name in a manifest, which may begin with kShipped, means the component.
bool is_named(const CheckSubject& subject, std::string_view name);

}  // namespace tenon
