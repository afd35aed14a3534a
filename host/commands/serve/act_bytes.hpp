// SPDX-License-Identifier: Apache-2.0
// The same requests as bytes, for observations of thousands of numbers: the rows of each needed column as they are in
// memory, one column after the other. Other parts of a request are in its query.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "commands/serve/act_request.hpp"

namespace tenon {

inline constexpr std::string_view kBytesType = "application/octet-stream";

// query: client, mode and first, which is 1 if all rows begin an episode.
std::variant<ActRequest, Refusal> read_act_bytes(std::string_view body,
                                                 const std::map<std::string, std::string, std::less<>>& query,
                                                 const ServedColumns& columns);

// The rows of each action, one after the other.
std::string act_answer_bytes(const Rows& actions);

}  // namespace tenon
