// SPDX-License-Identifier: Apache-2.0
#include "train/plan/worker_commands.hpp"

#include <utility>

#include "base/file/launch_site.hpp"

namespace tenon {
namespace {

constexpr std::string_view kKey = "collector.via";

Result<std::vector<std::string>> words_of(const std::string& text) {
    std::vector<std::string> words = TENON_TRY(words_of_command(text, kKey));
    TENON_TRY(check_command(words, kKey));
    return words;
}

}  // namespace

Result<std::vector<std::vector<std::string>>> worker_commands(const Manifest& manifest) {
    std::vector<std::vector<std::string>> out;
    for (const std::string& text : manifest.collector ? manifest.collector->via : std::vector<std::string>()) {
        out.push_back(TENON_TRY(placed(words_of(text), place_of(manifest, kKey))));
    }
    return out;
}

}  // namespace tenon
