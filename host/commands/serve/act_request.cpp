// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/act_request.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error/listed.hpp"
#include "base/error/problem.hpp"
#include "base/json/write.hpp"
#include "commands/serve/column_text.hpp"
#include "commands/serve/json_cursor.hpp"

namespace tenon {
namespace {

constexpr std::size_t kLongestName = 128;
constexpr std::string_view kKeys[] = {"observation", "client", "mode", "first", "stream"};

// Reads one request. It returns the fault as a sentence; an empty one means that the text is no JSON.
struct RequestReader {
    JsonCursor cursor;
    const ServedColumns& columns;
    ActRequest request = {};
    std::string fault = {};
    bool too_large = false;

    bool refuse(std::string sentence) {
        fault = std::move(sentence);
        return false;
    }

    bool column(std::size_t index) {
        const Spec& spec = columns.inputs[index];
        if (!request.columns[index].empty()) {
            return refuse("the observation '" + spec.key + "' is given twice");
        }
        std::optional<ReadRows> read = read_rows(cursor, spec, columns.most_rows, fault);
        if (!read) {
            return false;
        }
        if (read->count == 0) {
            return refuse("the observation '" + spec.key + "' has no rows");
        }
        if (request.rows != 0 && read->single != request.single) {
            return refuse("the observation '" + spec.key + "' is " + (read->single ? "one row" : "a list of rows") +
                          ", but another is " + (read->single ? "a list of rows" : "one row"));
        }
        if (request.rows != 0 && read->count != request.rows) {
            return refuse("the observation '" + spec.key + "' has " + counted(read->count, "row") +
                          ", but another has " + std::to_string(request.rows));
        }
        request.rows = read->count;
        request.single = read->single;
        request.columns[index] = std::move(read->bytes);
        return true;
    }

    // The only needed column, for an observation without a key.
    [[nodiscard]] std::optional<std::size_t> only() const {
        const auto needed = std::ranges::find(columns.needed, true);
        const bool one = std::ranges::count(columns.needed, true) == 1;
        return one ? std::optional(static_cast<std::size_t>(needed - columns.needed.begin())) : std::nullopt;
    }

    [[nodiscard]] std::vector<std::string_view> names(bool all) const {
        std::vector<std::string_view> out;
        for (std::size_t i = 0; i < columns.inputs.size(); ++i) {
            if (all || columns.needed[i]) {
                out.emplace_back(columns.inputs[i].key);
            }
        }
        return out;
    }

    bool observation() {
        if (cursor.peek() != '{') {
            const std::optional<std::size_t> index = only();
            return index ? column(*index)
                         : refuse("the policy reads several observations; give them by name: " + listed(names(false)));
        }
        cursor.enter_object();
        while (const std::optional<std::string> key = cursor.next_key()) {
            const auto found = std::ranges::find(columns.inputs, *key, &Spec::key);
            if (found == columns.inputs.end()) {
                const std::vector<std::string_view> known = names(true);
                return refuse("there is no observation '" + key->substr(0, kLongestName) + "'" +
                              did_you_mean(*key, known) + " (observations: " + listed(known) + ")");
            }
            if (!column(static_cast<std::size_t>(found - columns.inputs.begin()))) {
                return false;
            }
        }
        return !cursor.failed();
    }

    bool mode() {
        const std::optional<std::string> word = cursor.peek() == '"' ? cursor.text() : std::nullopt;
        if (cursor.failed()) {
            return false;
        }
        fault = set_mode(request, word.value_or(""), columns);
        return fault.empty();
    }

    bool client() {
        if (cursor.peek() != '"') {
            return refuse("the client is a text");
        }
        std::optional<std::string> name = cursor.text();
        if (!name) {
            return false;
        }
        fault = set_client(request, std::move(*name));
        return fault.empty();
    }

    bool first() {
        if (cursor.peek() == '[') {
            cursor.enter_array();
            while (cursor.next_element()) {
                if (cursor.peek() != 't' && cursor.peek() != 'f') {
                    return refuse("'first' is true or false, or a list of these, one for each row");
                }
                request.first.push_back(cursor.boolean().value_or(false) ? 1 : 0);
            }
            return !cursor.failed();
        }
        if (cursor.peek() != 't' && cursor.peek() != 'f') {
            return refuse("'first' is true or false, or a list of these, one for each row");
        }
        all_first = cursor.boolean();
        return all_first.has_value();
    }

    bool stream() {
        if (cursor.peek() != 't' && cursor.peek() != 'f') {
            return refuse("'stream' is true or false");
        }
        request.streams = cursor.boolean().value_or(false);
        return !cursor.failed();
    }

    bool member(const std::string& key) {
        if (key == "observation") {
            return observation();
        }
        if (key == "client") {
            return client();
        }
        if (key == "mode") {
            return mode();
        }
        if (key == "first") {
            return first();
        }
        if (key == "stream") {
            return stream();
        }
        return refuse("a request has no '" + key.substr(0, kLongestName) + "'" +
                      did_you_mean(key, {std::begin(kKeys), std::end(kKeys)}) +
                      " (it has: observation, client, mode, first, stream)");
    }

    bool whole() {
        if (cursor.peek() != '{') {
            return observation();
        }
        cursor.enter_object();
        while (const std::optional<std::string> key = cursor.next_key()) {
            if (!member(*key)) {
                return false;
            }
        }
        return !cursor.failed();
    }

    bool check() {
        for (std::size_t i = 0; i < columns.inputs.size(); ++i) {
            if (columns.needed[i] && request.columns[i].empty()) {
                return refuse("the request has no observation '" + columns.inputs[i].key +
                              "' (needed: " + listed(names(false)) + ")");
            }
        }
        if (all_first) {
            request.first.assign(request.rows, *all_first ? 1 : 0);
        }
        if (request.streams && (!request.single || columns.outputs.size() != 1)) {
            return refuse("a streamed request has one observation, and its action is one column");
        }
        if (!request.first.empty() && request.first.size() != request.rows) {
            return refuse("'first' has " + counted(request.first.size(), "element") + " for " +
                          counted(request.rows, "row"));
        }
        return true;
    }

    std::optional<bool> all_first = {};
};

Refusal not_json(const JsonCursor& cursor) {
    return {400, "the body is not JSON at byte " + std::to_string(cursor.at())};
}

}  // namespace

std::string set_client(ActRequest& request, std::string name) {
    if (name.empty() || name.size() > kLongestName) {
        return "the name of a client has 1 to " + std::to_string(kLongestName) + " bytes";
    }
    request.client = std::move(name);
    return "";
}

std::string set_mode(ActRequest& request, std::string_view word, const ServedColumns& columns) {
    if (word != "deterministic" && word != "sample") {
        return "the mode is \"deterministic\" or \"sample\"";
    }
    request.samples = word == "sample";
    return !request.samples || columns.samples
               ? ""
               : "this policy is served with its mean actions; start `tenon serve` with --actions mode to draw some";
}

std::variant<ActRequest, Refusal> read_act_request(std::string_view body, const ServedColumns& columns) {
    RequestReader reader{.cursor = JsonCursor(body), .columns = columns};
    reader.request.samples = columns.usually_samples;
    reader.request.columns.resize(columns.inputs.size());
    if (!reader.whole() || !reader.cursor.complete()) {
        return reader.fault.empty() ? not_json(reader.cursor) : Refusal{400, std::move(reader.fault)};
    }
    if (!reader.check()) {
        return Refusal{400, std::move(reader.fault)};
    }
    return std::move(reader.request);
}

std::variant<std::string, Refusal> read_reset_request(std::string_view body) {
    const ServedColumns none;
    RequestReader reader{.cursor = JsonCursor(body), .columns = none};
    if (reader.cursor.peek() == '{') {
        reader.cursor.enter_object();
        while (const std::optional<std::string> key = reader.cursor.next_key()) {
            if (*key != "client") {
                return Refusal{400, "a reset has no '" + key->substr(0, kLongestName) + "' (it has: client)"};
            }
            if (!reader.client()) {
                return reader.fault.empty() ? not_json(reader.cursor) : Refusal{400, std::move(reader.fault)};
            }
        }
    }
    if (!reader.cursor.complete()) {
        return not_json(reader.cursor);
    }
    if (reader.request.client.empty()) {
        return Refusal{400, R"(a reset needs the client to be forgotten: {"client": "NAME"})"};
    }
    return std::move(reader.request.client);
}

std::string act_answer(const ActRequest& request, const Rows& actions, const ServedColumns& columns) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("action");
    const bool several = columns.outputs.size() > 1;
    if (several) {
        json.begin_object();
    }
    for (std::size_t i = 0; i < columns.outputs.size(); ++i) {
        if (several) {
            json.key(columns.outputs[i].key);
        }
        write_rows(json, columns.outputs[i], actions[i], request.single);
    }
    if (several) {
        json.end_object();
    }
    json.end_object();
    return out + "\n";
}

}  // namespace tenon
