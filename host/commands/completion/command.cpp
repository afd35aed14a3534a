// SPDX-License-Identifier: Apache-2.0
// tenon completion: a script for a shell, from the table of commands and the options of each.
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/problem.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "report.hpp"

namespace tenon::host {
namespace {

struct OptionWord {
    std::string name;  // "--out"
    bool has_value = false;
    std::string help;  // its first line
};

// Every command answers kListOptions with a line for each option, which is printed here to a text.
std::vector<OptionWord> options_of(const Command& command) {
    if (command.run == nullptr) {
        return {};
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
