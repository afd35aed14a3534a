// SPDX-License-Identifier: Apache-2.0
#include "commands/validate/known_option.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace tenon {
namespace {

const OptionValue* value_of(const Part& part, std::string_view option) {
    const auto at = std::ranges::find(part.schema(), option, &OptionSchema::name);
    return at == part.schema().end() ? nullptr : &part.values[static_cast<std::size_t>(at - part.schema().begin())];
}

}  // namespace

std::optional<double> number_of(const Wiring& wiring, const Part& part, std::string_view option) {
    const OptionValue* const value = value_of(part, option);
    const std::string key = key_of(part, option);
    const auto& schedules = wiring.manifest.schedules;
    const bool moves = std::ranges::find(schedules, key, &ScheduleTable::option) != schedules.end() ||
                       std::ranges::any_of(wiring.hooks, [&](const HookPlan& hook) {
                           return std::ranges::find(hook.options, key) != hook.options.end();
                       });
    if (value == nullptr || moves) {
        return std::nullopt;
    }
    if (const auto* const real = std::get_if<double>(value)) {
        return *real;
    }
    const auto* const whole = std::get_if<std::int64_t>(value);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

bool is_on(const Part& part, std::string_view option) {
    const OptionValue* const value = value_of(part, option);
    const auto* const flag = value ? std::get_if<bool>(value) : nullptr;
    return flag == nullptr || *flag;
}

std::string text_of(const Part& part, std::string_view option) {
    const OptionValue* const value = value_of(part, option);
    const auto* const text = value ? std::get_if<std::string>(value) : nullptr;
    return text ? *text : std::string();
}

std::string key_of(const Part& part, std::string_view option) {
    return part.table->path + "." + std::string(option);
}

std::string short_number(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 6).ptr;
    return {text.data(), end};
}

}  // namespace tenon
