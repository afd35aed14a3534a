// SPDX-License-Identifier: Apache-2.0
#include "commands/check/workbench.hpp"

#include <string>
#include <utility>

#include "base/random/key.hpp"

namespace tenon {

Result<std::unique_ptr<Workbench>> Workbench::open(const CheckSubject& subject) {
    std::unique_ptr<Workbench> out(new Workbench(subject));
    LoadedPlugin plugin = TENON_TRY(LoadedPlugin::load(subject.file, out->services_.table()));
    out->plugin_ = std::make_unique<LoadedPlugin>(std::move(plugin));
    return out;
}

LoadedComponent Workbench::component() const {
    return {.info = {.name = full_name(*subject_), .place = {}, .plugin = subject_->file, .note = subject_->component},
            .component = plugin_->component(subject_->component->id),
            .host = &services_.table()};
}

Result<Instance> Workbench::make(std::uint32_t lanes) const {
    return Instance::create(component(), subject_->options, lanes, key("instance"));
}

tn_key Workbench::key(std::string_view name) const {
    return make_key(subject_->seed, "check/" + std::string(name));
}

std::vector<double> as_numbers(const std::vector<OptionValue>& options) {
    std::vector<double> out;
    for (const OptionValue& option : options) {
        if (const auto* const real = std::get_if<double>(&option)) {
            out.push_back(*real);
        } else if (const auto* const whole = std::get_if<std::int64_t>(&option)) {
            out.push_back(static_cast<double>(*whole));
        } else {
            const auto* const truth = std::get_if<bool>(&option);
            out.push_back(truth != nullptr && *truth ? 1 : 0);
        }
    }
    return out;
}

std::string full_name(const CheckSubject& subject) {
    return subject.file->library + "/" + subject.component->id;
}

bool is_named(const CheckSubject& subject, std::string_view name) {
    return name == full_name(subject) || (subject.file->shipped && name == std::string(kShipped) + full_name(subject));
}

}  // namespace tenon
