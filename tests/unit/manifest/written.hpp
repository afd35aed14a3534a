// SPDX-License-Identifier: Apache-2.0
// Manifests written in a test, and what reading them says.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "config/manifest/manifest.hpp"
#include "config/manifest/override.hpp"
#include "config/manifest/parse.hpp"
#include "support/catch.hpp"

// The least that a manifest must have; what a test adds begins in line 7.
inline const std::string kLeast =
    "[run]\n"
    "total_frames = 1000\n"
    "[policy.a]\n"
    "plugin = \"mlp/q_value\"\n"
    "[env]\n"
    "plugin = \"classic/CartPole-v1\"\n";

struct Written {
    tenon::Document document;
    tenon::Manifest manifest;
    std::vector<std::string> problems;  // rendered
};

inline tenon::Document document_of(const std::string& text, const std::vector<std::string>& sets = {}) {
    tenon::Result<tenon::TomlTable> root = tenon::parse_toml(text, "m.toml");
    if (!root) {
        FAIL(render(root.error()));
    }
    tenon::Document document{.root = std::move(*root), .place = {}};
    document.place.file = "m.toml";
    for (const tenon::Override& value : tenon::given_by_set(sets)) {
        const tenon::Status status = apply_override(document.root, value);
        if (!status) {
            FAIL(render(status.error()));
        }
    }
    return document;
}

inline Written written(const std::string& text, const std::vector<std::string>& sets = {}) {
    Written out{.document = document_of(text, sets), .manifest = {}, .problems = {}};
    tenon::Problems problems;
    out.manifest = read_tables(out.document, problems);
    for (const tenon::Problem& problem : problems) {
        out.problems.push_back(render(problem));
    }
    return out;
}

// A folder that goes away with the test.
class TestFolder {
public:
    TestFolder() {
        path_ = std::filesystem::temp_directory_path() / ("tenon_manifest_" + std::to_string(std::random_device{}()));
        std::filesystem::create_directories(path_);
    }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;
    ~TestFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }
    [[nodiscard]] std::string path() const { return path_.string(); }

    // The text without the folder's name.
    [[nodiscard]] std::string local(std::string text) const {
        const std::string prefix = path() + "/";
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
            text.erase(at, prefix.size());
        }
        return text;
    }

private:
    std::filesystem::path path_;
};
