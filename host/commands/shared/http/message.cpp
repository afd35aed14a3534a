// SPDX-License-Identifier: Apache-2.0
#include "shared/http/message.hpp"

#include "base/json/write.hpp"

namespace tenon {

HttpResponse json_response(std::string body, int status) {
    return {.status = status, .type = "application/json", .body = std::move(body)};
}

HttpResponse refusal(int status, std::string_view sentence) {
    std::string body;
    JsonWriter(body).begin_object().key("error").text(sentence).end_object();
    return json_response(body + "\n", status);
}

HttpResponse event_stream(HttpPieces next) {
    // The first bytes are sent at once: a client knows that it is connected, and how soon it may try again.
    return {.type = "text/event-stream", .body = "retry: 1000\n\n", .pieces = std::move(next)};
}

std::string server_event(std::string_view name, std::string_view data) {
    std::string out = "event: " + std::string(name) + "\n";
    for (;;) {
        const std::size_t end = data.find('\n');
        out.append("data: ").append(data.substr(0, end)).append("\n");
        if (end == std::string_view::npos) {
            return out + "\n";
        }
        data.remove_prefix(end + 1);
    }
}

}  // namespace tenon
