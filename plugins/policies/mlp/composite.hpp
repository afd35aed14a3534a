// SPDX-License-Identifier: Apache-2.0
// An actor for actions of several columns, with one head per column.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "continuous.hpp"
#include "tenon/heads/composite.hpp"
#include "tenon/heads/mask.hpp"

namespace mlp {

// Each column has the default head of its spec, or the one that `heads` names: ["action.dial = truncated_normal"].
struct Composite : LocScale {
    std::vector<std::string> heads;
    std::string log_prob = "sum";

    [[nodiscard]] tenon::Composite head(const tenon::Graph& g) const {
        const std::vector<tenon::CompositePart> parts = parts_of(g);
        std::int64_t width = 0;
        for (const tenon::CompositePart& part : parts) {
            width += outputs_of(part);
        }
        const tenon::Value out = (*this)(g, width);
        std::vector<tenon::In> parameters;
        std::int64_t first = 0;
        for (const tenon::CompositePart& part : parts) {
            parameters.emplace_back(parameters_of(g, part, slice(out, first, outputs_of(part))));
            first += outputs_of(part);
        }
        return {parameters.size() == 1 ? tenon::Value{parameters.front().id} : tenon::concat(parameters), parts,
                log_prob == "separate"};
    }

    static constexpr auto options = std::tuple_cat(
        LocScale::options,
        std::tuple{
            tenon::option<&Composite::heads>(
                "heads", {}, "", "columns with a head other than the default: \"action.dial = truncated_normal\""),
            tenon::option<&Composite::log_prob>(
                "log_prob", "sum", "sum|separate",
                "whether objectives get one log-probability of all heads, or (those that ask for it) one per head")});

private:
    [[nodiscard]] std::int64_t outputs_of(const tenon::CompositePart& part) const {
        return part.is_real() && scale_kind == "free" ? part.elements() : part.parameters();
    }

    [[nodiscard]] tenon::Value parameters_of(const tenon::Graph& g, const tenon::CompositePart& part,
                                             tenon::Value out) const {
        const std::string key(tenon::to_view(part.column->key));
        if (!part.is_real()) {
            return part.head == "bernoulli" ? out : tenon::only_allowed(g, out, key.c_str());
        }
        const std::int64_t n = part.elements();
        const tenon::Value loc = slice(out, 0, n);
        const tenon::Value scale = scale_kind == "free"
                                       ? tenon::free_scale(g, (key + ".scale").c_str(), n, scale_floor, begin)
                                       : tenon::positive_scale(slice(out, n, n), scale_floor, begin);
        const bool is_cut = part.head == "truncated_normal";
        return tenon::concat({is_cut ? tenon::bounds_of(*part.column).squash(loc) : loc, scale});
    }

    [[nodiscard]] std::vector<tenon::CompositePart> parts_of(const tenon::Graph& g) const {
        if (const tn_spec* single = g.spec("action", true); single != nullptr) {
            const tenon::Suited here = tenon::suited(*single);
            throw tenon::InvalidArgument(
                "composite needs an action of several columns; " +
                (here.head == nullptr ? std::string("this is ") + here.kind
                                      : std::string("mlp/") + here.head + " is for " + here.kind + " like this one"));
        }
        std::vector<tenon::CompositePart> out;
        for (const tn_spec* column : tenon::Graph::actions()) {
            if (tenon::to_view(column->key).starts_with("action.")) {
                out.push_back({column, standard_head(*column)});
            }
        }
        choose(out);
        for (const tenon::CompositePart& part : out) {
            check(part);
        }
        return out;
    }

    static std::string standard_head(const tn_spec& column) {
        const char* head = tenon::suited(column).head;
        return head == nullptr ? "" : head;
    }

    void choose(std::vector<tenon::CompositePart>& parts) const {
        std::vector<std::string> named;
        for (const std::string& entry : heads) {
            const auto without_blanks = [](std::string_view text) {
                const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
                return text.substr(first, text.find_last_not_of(' ') + 1 - first);
            };
            const std::size_t sign = entry.find('=');
            const std::string key(without_blanks(std::string_view(entry).substr(0, sign)));
            const std::string head(sign == std::string::npos
                                       ? std::string_view{}
                                       : without_blanks(std::string_view(entry).substr(sign + 1)));
            if (key.empty() || head.empty()) {
                throw tenon::InvalidArgument("heads: \"" + entry + "\" is not of the form \"COLUMN = HEAD\"");
            }
            const auto part =
                std::ranges::find(parts, key, [](const auto& one) { return tenon::to_view(one.column->key); });
            if (part == parts.end()) {
                throw tenon::InvalidArgument("heads names the column '" + key + "', but the action's columns are " +
                                             list(parts));
            }
            if (std::ranges::find(named, key) != named.end()) {
                throw tenon::InvalidArgument("heads names the column '" + key + "' twice");
            }
            named.push_back(key);
            part->head = head;
        }
    }

    static void check(const tenon::CompositePart& part) {
        const std::string key = "'" + std::string(tenon::to_view(part.column->key)) + "'";
        const tenon::Suited here = tenon::suited(*part.column);
        const std::string is = key + " is " + here.kind;
        if (here.head == nullptr) {
            throw tenon::InvalidArgument(is + ", for which there is no head");
        }
        if (part.head != here.head &&
            (part.head != "truncated_normal" || here.head != std::string_view("tanh_normal"))) {
            const bool is_known = std::ranges::find(kHeads, part.head) != kHeads.end();
            throw tenon::InvalidArgument(is +
                                         (is_known ? ", but " + part.head + " is not for that; "
                                                   : ", but there is no head '" + part.head + "'; ") +
                                         "use " + here.head +
                                         (here.head == std::string_view("tanh_normal") ? " or truncated_normal" : ""));
        }
        const bool is_vector = part.head == "one_hot" || part.head == "multi_categorical";
        if ((part.head == "categorical" && part.column->rank != 0) || (is_vector && part.column->rank != 1)) {
            throw tenon::InvalidArgument(part.head + " needs a column " +
                                         (is_vector ? "with one dimension" : "without dimensions") + ", and " + key +
                                         " has " + std::to_string(part.column->rank));
        }
    }

    static std::string list(const std::vector<tenon::CompositePart>& parts) {
        std::string out;
        for (const tenon::CompositePart& part : parts) {
            out += (out.empty() ? "'" : ", '") + std::string(tenon::to_view(part.column->key)) + "'";
        }
        return out;
    }

    static constexpr std::array<std::string_view, 7> kHeads = {
        "categorical", "one_hot", "multi_categorical", "bernoulli", "normal", "tanh_normal", "truncated_normal"};
};

}  // namespace mlp
