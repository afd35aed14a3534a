// SPDX-License-Identifier: Apache-2.0
// tenon doctor: what this machine has, what is missing, and the command that installs it.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/write.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/doctor/doctor.hpp"
#include "commands/doctor/machines_asked.hpp"
#include "engines/quarantine/record.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

void write_text(JsonWriter& json, std::string_view key, const std::string& text) {
    json.key(key);
    text.empty() ? json.null() : json.text(text);
}

using Asked = std::optional<std::vector<AskedMachine>>;

// The machines of --via and --hosts; none without these options.
Result<Asked> ask(const CommandLine& line) {
    if (!line.has("via") && !line.has("hosts")) {
        return Asked();
    }
    const std::string via = line.has("via") ? line.text("via") : "ssh {host}";
    const Machines machines = TENON_TRY(read_machines(via, line.text("hosts"), 1));
    return Asked(TENON_TRY(ask_machines(machines, this_program())));
}

void print_json(const Diagnosis& found, const Asked& machines) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("tenon").text(host_version());
    json.key("instructions").begin_object().key("used").text(found.level);
    json.key("available").text(found.machine_level).end_object();
    json.key("cores").integer(found.cores).key("memory").integer(static_cast<std::int64_t>(found.memory));
    json.key("folders").begin_array();
    for (const Diagnosis::Folder& folder : found.folders) {
        json.begin_object().key("path").text(folder.path);
        write_text(json, "source", folder.source);
        json.key("plugins").integer(static_cast<std::int64_t>(folder.plugins)).end_object();
    }
    json.end_array().key("parts").begin_array();
    for (const MachinePart& part : found.parts) {
        json.begin_object().key("name").text(part.name).key("for").text(part.use);
        write_text(json, "found", part.found);
        write_text(json, "missing", part.missing);
        write_text(json, "bring", part.bring);
        write_text(json, "plugin", part.plugin);
        json.end_object();
    }
    json.end_array().key("problems").begin_array();
    for (const Problem& problem : found.problems) {
        json.text(problem.sentence);
    }
    json.end_array();
    if (machines) {
        json.key("machines").begin_array();
        for (const AskedMachine& machine : *machines) {
            json.begin_object().key("name").text(machine.name);
            write_text(json, "fault", machine.fault);
            json.end_object();
        }
        json.end_array();
    }
    json.end_object();
    std::cout << text << '\n';
}

void print(const Diagnosis& found, const Asked& machines) {
    std::cout << "tenon " << host_version() << "\ninstructions  " << found.level
              << (found.level == found.machine_level ? "" : ", by TENON_LEVEL; this machine has " + found.machine_level)
              << "\ncores         " << found.cores << "\nmemory        " << size_text(found.memory) << '\n';
    for (const Diagnosis::Folder& folder : found.folders) {
        std::cout << "plugins       " << folder.plugins << " in " << folder.path
                  << (folder.source.empty() ? "" : ", by " + folder.source) << '\n';
    }
    for (const bool missing : {false, true}) {
        for (const MachinePart& part : found.parts) {
            if (part.found.empty() != missing) {
                continue;
            }
            std::cout << (missing ? "\nmissing  " : "\nfound    ") << part.name << "\n         for " << part.use
                      << "\n         " << (missing ? part.missing : part.found) << '\n';
            if (missing && !part.bring.empty()) {
                std::cout << "         " << part.bring << '\n';
            }
        }
    }
    std::cout << (machines ? "\n" : "");
    for (const AskedMachine& machine : machines.value_or(std::vector<AskedMachine>())) {
        std::cout << "machine  " << machine.name << ": "
                  << (machine.fault.empty() ? "has this build of Tenon, and sees this folder" : machine.fault) << '\n';
    }
}

}  // namespace

int command_doctor(const Arguments& arguments) {
    CommandLine line("tenon doctor [options]",
                     "Shows what this machine has of everything that commands and plugins can use, what is missing, "
                     "what\nit would be for, and a line for the shell that brings it. Plugins look for what they need "
                     "themselves.\nSomething that is missing is no failure: the exit code is 0 unless a plugin cannot "
                     "be loaded, or a machine\nof --hosts or --via cannot be used.");
    add_plugin_options(line);
    line.options()("hosts", text_value("LIST"),
                   "also tell of each of these machines, such as node7,node8, whether it is reached, has this build of "
                   "Tenon, and sees this folder")(
        "via", text_value("COMMAND"),
        "how a machine is reached; the default is \"ssh {host}\"; without {host}, one that the command chooses")(
        "from-launcher", "what --via starts: who asks is in the first line of standard input")(
        "json",
        "one JSON object: tenon, instructions, cores, memory, folders, parts (name, for, found, missing, "
        "bring, plugin), problems, with --hosts or --via machines (name, fault)");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    if (line.has("from-launcher")) {
        const Status answered = answer_launcher();
        return answered ? kSuccess : report(answered.error());
    }
    const Result<Asked> machines = ask(line);
    if (!machines) {
        return report(machines.error());
    }
    const Diagnosis found = diagnose(plugin_folders(line));
    line.has("json") ? print_json(found, *machines) : print(found, *machines);
    const int code = report(found.problems);
    const bool is_fine = std::ranges::all_of(machines->value_or(std::vector<AskedMachine>()),
                                             [](const AskedMachine& machine) { return machine.fault.empty(); });
    return code != kSuccess || is_fine ? code : static_cast<int>(Fault::kEnvironment);
}

}  // namespace tenon::host
