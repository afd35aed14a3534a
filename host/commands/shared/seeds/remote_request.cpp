// SPDX-License-Identifier: Apache-2.0
#include "shared/seeds/remote_request.hpp"

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

std::string remote_request_text(const RemoteRequest& request) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("folder").text(request.site.folder);
    write_texts(json, "environment", request.site.environment);
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
    RemoteRequest out{.site = {.folder = *path, .environment = {}}, .words = {}};
    out.site.environment = TENON_TRY(read_texts(json, "environment"));
    out.words = TENON_TRY(read_texts(json, "words"));
    return out;
}

}  // namespace tenon
