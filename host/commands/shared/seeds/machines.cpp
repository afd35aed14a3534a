// SPDX-License-Identifier: Apache-2.0
#include "shared/seeds/machines.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/file/launch_site.hpp"

namespace tenon {
namespace {

constexpr std::string_view kHost = "{host}";
constexpr std::size_t kMostSlots = 1024;

Result<Machine> read_machine(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    Machine out{.name = std::string(text.substr(0, colon))};
    if (colon != std::string_view::npos) {
        const std::string_view number = text.substr(colon + 1);
        const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), out.slots);
        if (code != std::errc() || end != number.data() + number.size() || out.slots < 1 || out.slots > kMostSlots) {
            return input_problem("--hosts has '" + std::string(text) +
                                 "', but the number of runs at a time must be from 1 to " + std::to_string(kMostSlots) +
                                 ", such as node7:4");
        }
    }
    if (out.name.empty() || out.name.starts_with('-')) {  // a command would take it for an option
        return input_problem("--hosts has '" + std::string(text) +
                             "', which is no name of a machine; write them as node7:4,node8:4");
    }
    return out;
}

Result<std::vector<Machine>> read_hosts(std::string_view text) {
    std::vector<Machine> out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        out.push_back(TENON_TRY(read_machine(text.substr(begin, end - begin))));
        begin = end + 1;
        const auto first = std::ranges::find(out, out.back().name, &Machine::name);
        if (first != out.end() - 1) {
            return input_problem("--hosts names '" + out.back().name + "' twice");
        }
    }
    return out;
}

bool names_host(const std::string& word) {
    return word.find(kHost) != std::string::npos;
}

}  // namespace

Result<Machines> read_machines(std::string_view via, std::string_view hosts, std::size_t jobs) {
    Machines out{.via = TENON_TRY(words_of_command(via, "--via")), .all = {{.name = {}, .slots = jobs}}};
    if (!hosts.empty()) {
        out.all = TENON_TRY(read_hosts(hosts));
    }
    const bool named = std::ranges::any_of(out.via, names_host);
    if (!hosts.empty() && !named) {
        return input_problem("--hosts needs a --via whose command has {host}, such as --via \"ssh {host}\"");
    }
    if (hosts.empty() && named) {
        return input_problem(
            "the command of --via has {host}, so --hosts must list the machines, such as --hosts node7:4,node8:4");
    }
    if (!via.empty()) {
        TENON_TRY(check_command(out.via, "--via"));
    }
    return out;
}

std::size_t slots_of(const Machines& machines) {
    std::size_t out = 0;
    for (const Machine& machine : machines.all) {
        out += machine.slots;
    }
    return out;
}

std::vector<std::string> command_on(const Machines& machines, const Machine& machine) {
    std::vector<std::string> out = machines.via;
    for (std::string& word : out) {
        for (std::size_t at = word.find(kHost); at != std::string::npos;
             at = word.find(kHost, at + machine.name.size())) {
            word.replace(at, kHost.size(), machine.name);
        }
    }
    return out;
}

}  // namespace tenon
