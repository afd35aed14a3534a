// SPDX-License-Identifier: Apache-2.0
// tenon completion: a script for a shell, from the table of commands and the options of each.
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/problem.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "plugins/plugin/search_path.hpp"
#include "report.hpp"

namespace tenon::host {
namespace {

struct OptionWord {
    std::string name;  // "--out"
    bool has_value = false;
    std::string help;  // its first line
};

// The options of a command that this build leaves out, as docs/commands.md shows them. Only builds of a clone leave
// commands out, and these have a link to the page.
std::vector<OptionWord> options_on_page(std::string_view command) {
    std::ifstream page(installed_folder() / ".." / ".." / "share" / "tenon" / "commands.md");
    const std::string heading = "## `tenon " + std::string(command) + "`";
    std::vector<OptionWord> out;
    bool here = false;
    for (std::string line; std::getline(page, line);) {
        here = line.starts_with("## ") ? line == heading : here;
        const std::size_t dashes = line.find("--");
        const std::size_t text = line.find_first_not_of(' ');
        if (!here || text == std::string::npos) {
            continue;
        }
        if (line.starts_with("  -") && dashes != std::string::npos) {  // "  --out DIR   help", "  -h [ --help ]   help"
            const std::size_t end = std::min(line.find(' ', dashes), line.size());
            const std::size_t help = line.find_first_not_of(' ', std::min(line.find("  ", end), line.size()));
            out.push_back({.name = line.substr(dashes, end - dashes),
                           .has_value = end + 1 < line.size() && line[end + 1] != ' ' && line[end + 1] != ']',
                           .help = help == std::string::npos ? "" : line.substr(help)});
        } else if (!out.empty() && text > 10) {  // the help goes on
            std::string& help = out.back().help;
            help += (help.empty() || help.back() == ' ' ? "" : " ") + line.substr(text);
        }
    }
    return out;
}

// Every command answers kListOptions with a line for each option, which is printed here to a text.
std::vector<OptionWord> options_of(const Command& command) {
    if (command.run == nullptr) {
        return options_on_page(command.name);
    }
    std::ostringstream text;
    std::streambuf* const screen = std::cout.rdbuf(text.rdbuf());
    command.run({std::string(kListOptions)});
    std::cout.rdbuf(screen);
    std::istringstream lines(text.str());
    std::vector<OptionWord> out;
    for (std::string name, value, help;
         std::getline(lines, name, '\t') && std::getline(lines, value, '\t') && std::getline(lines, help);) {
        out.push_back({name, value == "value", help});
    }
    return out;
}

std::string names_of(const std::vector<OptionWord>& options) {
    std::string out;
    for (const OptionWord& option : options) {
        out += (out.empty() ? "" : " ") + option.name;
    }
    return out;
}

std::string command_names() {
    std::string out = "help";
    for (const Command& command : commands()) {
        out += " " + std::string(command.name);
    }
    return out;
}

// In single quotes, for each of the three shells.
std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string("’") : std::string(1, c);
    }
    return out + "'";
}

void print_bash() {
    std::cout << "# bash completion of tenon: source <(tenon completion bash)\n_tenon() {\n"
                 "    local word=${COMP_WORDS[COMP_CWORD]} options=\n    COMPREPLY=()\n"
                 "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '"
              << command_names() << " --help --version' -- \"$word\"))\n        return\n    fi\n"
              << "    case ${COMP_WORDS[1]} in\n    help) options='" << command_names() << "' ;;\n";
    for (const Command& command : commands()) {
        std::cout << "    " << command.name << ") options='" << names_of(options_of(command)) << "' ;;\n";
    }
    std::cout << "    esac\n    if [[ $word == -* || ${COMP_WORDS[1]} == help ]]; then\n"
                 "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n    else\n"
                 "        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
                 "complete -o filenames -F _tenon tenon\n";
}

void print_zsh() {
    std::cout << "#compdef tenon\n# zsh completion of tenon: source <(tenon completion zsh)\n_tenon() {\n"
                 "    local -a words_here\n    if ((CURRENT == 2)); then\n        words_here=(";
    for (const Command& command : commands()) {
        std::cout << "\n            " << quoted(std::string(command.name) + ":" + std::string(command.summary));
    }
    std::cout << ")\n        _describe command words_here\n        return\n    fi\n    case $words[2] in\n";
    for (const Command& command : commands()) {
        std::cout << "    " << command.name << ") _arguments";
        for (const OptionWord& option : options_of(command)) {
            std::string help;
            for (const char c : option.help) {
                help += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
            }
            std::cout << " \\\n        "
                      << quoted("*" + option.name + "[" + help + "]" + (option.has_value ? ":value:_files" : ""));
        }
        std::cout << " \\\n        '*:file:_files' ;;\n";
    }
    std::cout << "    esac\n}\ncompdef _tenon tenon\n";
}

void print_fish() {
    std::cout << "# fish completion of tenon: tenon completion fish | source\n";
    for (const Command& command : commands()) {
        std::cout << "complete -c tenon -n __fish_use_subcommand -f -a " << command.name << " -d "
                  << quoted(command.summary) << '\n';
        for (const OptionWord& option : options_of(command)) {
            std::cout << "complete -c tenon -n '__fish_seen_subcommand_from " << command.name << "' -l "
                      << option.name.substr(2) << (option.has_value ? " -r" : "") << " -d " << quoted(option.help)
                      << '\n';
        }
    }
}

}  // namespace

int command_completion(const Arguments& arguments) {
    CommandLine line("tenon completion bash|zsh|fish",
                     "Prints a script that completes commands, options and files of tenon in a shell:\n"
                     "  bash  source <(tenon completion bash)\n  zsh   source <(tenon completion zsh)\n"
                     "  fish  tenon completion fish | source");
    line.positional("shell", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("shell");
    const std::string shell = words.empty() ? "" : words.front();
    if (shell == "bash") {
        print_bash();
    } else if (shell == "zsh") {
        print_zsh();
    } else if (shell == "fish") {
        print_fish();
    } else {
        return report(shell.empty() ? input_problem("completion needs a shell: bash, zsh or fish")
                                    : input_problem("completion knows bash, zsh and fish, but not '" + shell + "'" +
                                                    did_you_mean(shell, {"bash", "zsh", "fish"})));
    }
    return kSuccess;
}

}  // namespace tenon::host
