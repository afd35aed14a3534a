// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/act_bytes.hpp"

#include <cstdint>
#include <utility>

#include "base/error/listed.hpp"
#include "commands/serve/column_text.hpp"

namespace tenon {
namespace {

Refusal bad_bytes(std::string sentence) {
    return {400, std::move(sentence)};
}

// The bytes of a row of all needed columns.
std::size_t bytes_of_all(const ServedColumns& columns) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < columns.inputs.size(); ++i) {
        out += columns.needed[i] ? row_bytes(columns.inputs[i]) : 0;
    }
    return out;
}

}  // namespace

std::variant<ActRequest, Refusal> read_act_bytes(std::string_view body,
                                                 const std::map<std::string, std::string, std::less<>>& query,
                                                 const ServedColumns& columns) {
    ActRequest out{.samples = columns.usually_samples};
    for (const auto& [key, value] : query) {
        std::string fault;
        if (key == "client") {
            fault = set_client(out, value);
        } else if (key == "mode") {
            fault = set_mode(out, value, columns);
        } else if (key == "first" ? value != "0" && value != "1" : key != "token") {
            fault =
                key == "first" ? "'first' is 0 or 1" : "a request has no '" + key + "' (it has: client, mode, first)";
        }
        if (!fault.empty()) {
            return bad_bytes(std::move(fault));
        }
    }
    const std::size_t each = bytes_of_all(columns);
    if (body.empty() || body.size() % each != 0) {
        return bad_bytes("the body has " + counted(body.size(), "byte") +
                         ", but a row of all needed observations has " + std::to_string(each));
    }
    if (body.size() / each > columns.most_rows) {
        return bad_bytes("a request has at most " + counted(columns.most_rows, "row"));
    }
    out.rows = static_cast<std::uint32_t>(body.size() / each);
    const auto first = query.find("first");
    out.first.assign(first != query.end() && first->second == "1" ? out.rows : 0, 1);
    out.columns.resize(columns.inputs.size());
    const auto* from = reinterpret_cast<const std::byte*>(body.data());
    for (std::size_t i = 0; i < columns.inputs.size(); ++i) {
        if (!columns.needed[i]) {
            continue;
        }
        const std::size_t row = row_bytes(columns.inputs[i]);
        out.columns[i].assign(from, from + row * out.rows);
        from += row * out.rows;
        for (std::uint32_t k = 0; k < out.rows; ++k) {
            if (std::string fault = fault_of_row(columns.inputs[i], out.columns[i].data() + k * row); !fault.empty()) {
                return bad_bytes(std::move(fault));
            }
        }
    }
    return out;
}

std::string act_answer_bytes(const Rows& actions) {
    std::string out;
    for (const std::vector<std::byte>& rows : actions) {
        out.append(reinterpret_cast<const char*>(rows.data()), rows.size());
    }
    return out;
}

}  // namespace tenon
