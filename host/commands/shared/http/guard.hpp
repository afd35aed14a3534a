// SPDX-License-Identifier: Apache-2.0
// Decides who may send requests: by the token, and by the headers with which a browser says which page a request comes
// from. A page of another site can make a browser send requests to loopback, and can give loopback a name of its own
// (DNS rebinding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shared/http/message.hpp"

namespace tenon {

struct HttpGuard {
    std::string token;
    std::string cookie;            // its name, which differs between the servers of a machine
    bool open_to_network = false;  // otherwise only names of loopback are accepted
    std::string machine = {};      // its name, accepted if the server is open to the network
};

// Headers of a request; empty: absent.
struct HttpSender {
    std::string_view host{}, origin{}, cookie{}, authorization{}, accept{};
    std::string_view site{}, mode{};  // Sec-Fetch-Site, Sec-Fetch-Mode
};

// The response to a request that does not reach the handler: a refusal, or the redirection that turns the token in an
// address into a cookie, so that it is not in the history of the browser.
std::optional<HttpResponse> stopped_at(const HttpGuard& guard, const HttpSender& sender, const HttpRequest& request);

}  // namespace tenon
