// SPDX-License-Identifier: Apache-2.0
#include "fuzz/wired_target.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "base/file/read.hpp"
#include "commands/explain/explain.hpp"
#include "commands/validate/advice.hpp"
#include "config/manifest/parse.hpp"
#include "fuzz/problems.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"

namespace tenon::fuzz {
namespace {

Setup wire_text(const std::string& text, Problems& problems) {
    Result<TomlTable> root = parse_toml(text, "m.toml");
    if (!root) {
        problems.push_back(std::move(root).error());
        return {};
    }
    Setup out = set_up(Document{.root = std::move(*root), .place = {.file = "m.toml", .excerpt = {}}}, {}, problems);
    if (problems.empty()) {
        check_executor(*out.wiring, problems);
    }
    return out;
}

bool needs_others(const std::string& text) {
    return std::ranges::any_of(kForeign, [&](std::string_view library) {
        return text.find("\"" + std::string(library) + "/") != std::string::npos;
    });
}

}  // namespace

void wired_manifest(std::span<const std::uint8_t> bytes) {
    const std::string text(text_of(bytes));
    Problems problems;
    Setup setup = wire_text(text, problems);
    check_problems(problems);
    if (!problems.empty()) {
        return;
    }
    for (const Advice& advice : advice_of(*setup.wiring)) {
        check_problems({advice.problem});
    }
    (void)explain(*setup.wiring, setup.running);
    (void)graph_text(*setup.wiring, "act");
    const std::string resolved = resolved_manifest(*setup.wiring);
    setup = {};
    const Setup again = wire_text(resolved, problems);
    for (const Problem& problem : problems) {
        std::fputs(render(problem).c_str(), stderr);
    }
    require(problems.empty(), "a resolved manifest is wired as the manifest was");
    require(resolved_manifest(*again.wiring) == resolved, "a resolved manifest stays as it is");
}

std::vector<Input> shipped_manifests() {
    std::vector<std::filesystem::path> files;
    for (const char* const folder : {"", "offline"}) {
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TENON_MANIFESTS) / folder)) {
            if (entry.path().extension() == ".toml") {
                files.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(files);
    std::vector<Input> out;
    for (const std::filesystem::path& file : files) {
        const Result<std::string> text = read_file(file);
        if (text && !needs_others(*text) && text->find("include = ") == std::string::npos) {
            out.push_back(input_of(*text));
        }
    }
    return out;
}

void mutate_wired_manifest(Input& input, const Input& other, Random& random) {
    std::string text(text_of(input));
    mutate_manifest(text, std::string(text_of(other)), random);
    input = input_of(std::string_view(text).substr(0, kLargest));
}

}  // namespace tenon::fuzz
