// SPDX-License-Identifier: Apache-2.0
#include "shared/http/guard.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

#include "shared/http/token.hpp"

namespace tenon {
namespace {

std::string in_small_letters(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// The name in "name", "name:port", "[address]" or "[address]:port". Empty: the text has none of these forms.
std::string without_port(std::string_view host) {
    const std::string_view name = host.substr(0, host.starts_with('[') ? host.find(']') + 1 : host.find(':'));
    const std::string_view rest = host.substr(name.size());
    const bool has_port = rest.starts_with(':') && rest.size() > 1 && rest.size() <= sizeof ":65535" - 1 &&
                          rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
    return rest.empty() || has_port ? in_small_letters(name) : "";
}

bool is_address(const std::string& name) {
    in6_addr ignored{};
    return ::inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
           (name.starts_with('[') && name.ends_with(']') &&
            ::inet_pton(AF_INET6, name.substr(1, name.size() - 2).c_str(), &ignored) == 1);
}

// Accepts addresses and known names: with DNS rebinding the host is a name of the other site, never an address.
bool accepts_host(const HttpGuard& guard, std::string_view host) {
    const std::string name = without_port(host);
    if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") {
        return true;
    }
    const std::string machine = in_small_letters(guard.machine);
    return guard.open_to_network && !name.empty() &&
           (is_address(name) || name == machine || name == machine + ".local");
}

bool is_own_page(const HttpSender& sender) {
    return sender.origin.empty() || sender.origin == "http://" + std::string(sender.host) ||
           sender.origin == "https://" + std::string(sender.host);  // behind a proxy that encrypts
}

// A person may follow a link to the page; another page may not load anything.
bool is_own_or_link(const HttpSender& sender, const HttpRequest& request) {
    return sender.site.empty() || sender.site == "same-origin" || sender.site == "none" ||
           (request.method == "GET" && sender.mode == "navigate");
}

std::string_view cookie_value(std::string_view all, std::string_view name) {
    while (!all.empty()) {
        std::string_view pair = all.substr(0, all.find(';'));
        all.remove_prefix(std::min(all.size(), pair.size() + 1));
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
            return pair.substr(name.size() + 1);
        }
    }
    return {};
}

std::string_view bearer(std::string_view authorization) {
    constexpr std::string_view kScheme = "Bearer ";
    return authorization.starts_with(kScheme) ? authorization.substr(kScheme.size()) : "";
}

}  // namespace

std::optional<HttpResponse> stopped_at(const HttpGuard& guard, const HttpSender& sender, const HttpRequest& request) {
    if (sender.host.empty()) {
        return refusal(400, "the request names no host");
    }
    if (!accepts_host(guard, sender.host)) {
        return refusal(421, "this server does not have that name; use the address that it printed");
    }
    if (!is_own_page(sender) || !is_own_or_link(sender, request)) {
        return refusal(403, "pages of other sites may not ask this server");
    }
    const auto given = request.query.find("token");
    if (given != request.query.end() && equal_secrets(given->second, guard.token)) {
        if (request.method != "GET" || sender.accept.find("text/html") == std::string_view::npos) {
            return std::nullopt;
        }
        return HttpResponse{
            .status = 303,
            .headers = {{"Location", request.path},
                        {"Set-Cookie", guard.cookie + "=" + guard.token + "; Path=/; HttpOnly; SameSite=Strict"}}};
    }
    if (equal_secrets(cookie_value(sender.cookie, guard.cookie), guard.token) ||
        equal_secrets(bearer(sender.authorization), guard.token)) {
        return std::nullopt;
    }
    return refusal(401,
                   "the token is missing or wrong: send the header 'Authorization: Bearer TOKEN', or open the address "
                   "that the program printed");
}

}  // namespace tenon
