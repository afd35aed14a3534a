// SPDX-License-Identifier: Apache-2.0
#include "run/seeds/remote_request.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/json/read.hpp"
#include "base/json/write.hpp"

namespace tenon {
namespace {

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
    json.key(key).begin_array();
    for (const std::string& text : texts) {
        json.text(text);
    }
    json.end_array();
}

Result<std::vector<std::string>> read_texts(const Json& json, std::string_view key) {
    const Json* const found = json.find(key);
    const JsonArray* const array = found != nullptr ? found->get<JsonArray>() : nullptr;
    std::vector<std::string> out;
    for (const Json& each : array != nullptr ? *array : JsonArray()) {
        if (const auto* text = each.get<std::string>()) {
            out.push_back(*text);
        }
    }
    if (array == nullptr || out.size() != array->size()) {
        return input_problem("the launcher's request has no texts '" + std::string(key) + "'");
    }
    return out;
}

}  // namespace

Result<RemoteRequest> remote_request(std::vector<std::string> words) {
    std::error_code code;
    RemoteRequest out{
        .folder = std::filesystem::current_path(code).string(), .environment = {}, .words = std::move(words)};
    if (code) {
        return environment_problem("the current folder has no path: " + code.message());
    }
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (std::string_view(*variable).starts_with("TENON_")) {
            out.environment.emplace_back(*variable);
        }
    }
    return out;
}

std::string remote_request_text(const RemoteRequest& request) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("folder").text(request.folder);
    write_texts(json, "environment", request.environment);
    write_texts(json, "words", request.words);
    json.end_object();
    return out + '\n';
}

Result<RemoteRequest> parse_remote_request(std::string_view line) {
    const Json json = TENON_TRY(parse_json(line, "the launcher's request"));
    const Json* const folder = json.find("folder");
    const std::string* const path = folder != nullptr ? folder->get<std::string>() : nullptr;
    if (path == nullptr) {
        return input_problem("the launcher's request has no text 'folder'");
    }
    RemoteRequest out{.folder = *path, .environment = TENON_TRY(read_texts(json, "environment")), .words = {}};
    out.words = TENON_TRY(read_texts(json, "words"));
    return out;
}

}  // namespace tenon
