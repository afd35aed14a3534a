// SPDX-License-Identifier: Apache-2.0
// Creates a new plugin from a template of the SDK, for `tenon new`. A template is a folder KIND, KIND_c in C, KIND_cuda
// with kernels, KIND_goal with goals, KIND_group with a group of agents or KIND_on_policy that learns from whole
// batches. It has CMakeLists.txt, manifest.toml, a source named after the plugin and what else it needs: kernels.cu,
// kernels.cpp and what they include, or data. It is a complete plugin; the new one has another name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct ScaffoldRequest {
    std::string kind;                 // "env"
    std::string name;                 // "hill_climb"
    std::string language;             // "c", "c++"; empty: c++
    std::string device;               // "cuda": with kernels; empty: none
    bool goal = false;                // an env that judges steps by other goals
    bool group = false;               // an env of several agents
    bool on_policy = false;           // an objective that learns from whole batches
    std::filesystem::path folder;     // to be created
    std::filesystem::path templates;  // where they are
};

struct Scaffold {
    std::filesystem::path folder;
    std::vector<std::string> files;  // in it, by name
};

// The folder of the installed templates: share/tenon/templates next to lib/tenon.
std::filesystem::path installed_templates();

Result<Scaffold> make_scaffold(const ScaffoldRequest& request);

}  // namespace tenon
