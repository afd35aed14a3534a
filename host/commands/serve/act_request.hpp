// SPDX-License-Identifier: Apache-2.0
// The requests of clients to a served policy, and its answers, as plain values. Reading a request and writing an answer
// are functions of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/data/spec.hpp"

namespace tenon {

// The columns of a served policy.
struct ServedColumns {
    std::vector<Spec> inputs;        // observations, as the env gives them
    std::vector<bool> needed;        // as inputs; nothing reads the others, so they may be left out
    std::vector<Spec> outputs;       // actions, as the env takes them
    bool samples = true;             // it can draw its actions
    bool usually_samples = false;    // requests that do not say so get drawn actions
    std::uint32_t most_rows = 4096;  // of a request
};

// Why a request is refused: a status code of HTTP, and one sentence.
struct Refusal {
    int status = 400;
    std::string sentence;
};

// Rows of columns, one after the other. Empty: the column is missing.
using Rows = std::vector<std::vector<std::byte>>;

struct ActRequest {
    std::string client = {};  // the client whose memory is used; empty: none, so each row is the first of an episode
    bool samples = false;     // drawn actions, or the best ones
    bool streams = false;     // the elements of the action are sent as they are computed
    bool single = false;      // one observation, without a dimension of rows
    std::uint32_t rows = 0;   // of each column
    Rows columns = {};        // as ServedColumns::inputs
    std::vector<std::uint8_t> first = {};  // by row: it begins an episode; empty: none does
};

using ActResult = std::variant<Rows, Refusal>;  // actions, as ServedColumns::outputs

// Each returns the fault of the text; empty: none.
std::string set_client(ActRequest& request, std::string name);
std::string set_mode(ActRequest& request, std::string_view word, const ServedColumns& columns);

// {"observation": ..., "client": "a", "mode": "sample", "first": true}, or the observation alone.
std::variant<ActRequest, Refusal> read_act_request(std::string_view body, const ServedColumns& columns);

// {"client": "a"}: the client to be forgotten.
std::variant<std::string, Refusal> read_reset_request(std::string_view body);

// {"action": ...} in the form of the request.
std::string act_answer(const ActRequest& request, const Rows& actions, const ServedColumns& columns);

}  // namespace tenon
