// SPDX-License-Identifier: Apache-2.0
// Reads columns through a function of one number. The same as TorchRL's UnaryTransform with torch's function of that
// name; symlog is sign(x) log(1 + |x|), and symexp its inverse (Hafner et al. 2023).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/transform_graph.hpp"

struct Unary {
    std::vector<std::string> columns;
    std::string function;

    [[nodiscard]] tenon::Value apply(const tenon::Graph& /*g*/, tenon::Value x) const {
        using Of = tenon::Value (*)(tenon::In);
        constexpr auto kFunctions = std::to_array<std::pair<std::string_view, Of>>({
            {"abs", &tenon::abs},         {"cos", &tenon::cos},
            {"erf", &tenon::erf},         {"exp", &tenon::exp},
            {"expm1", &tenon::expm1},     {"floor", &tenon::floor},
            {"log", &tenon::log},         {"log1p", &tenon::log1p},
            {"neg", &tenon::neg},         {"relu", &tenon::relu},
            {"sigmoid", &tenon::sigmoid}, {"sign", &tenon::sign},
            {"sin", &tenon::sin},         {"softplus", &tenon::softplus},
            {"sqrt", &tenon::sqrt},       {"square", &tenon::square},
            {"symexp", &symexp},          {"symlog", &symlog},
            {"tanh", &tenon::tanh},
        });
        const tenon::Value real = cast(x, "real");
        for (const auto& [name, of] : kFunctions) {
            if (name == function) {
                return of(real);
            }
        }
        return real;  // after another name, which the host has reported
    }

    static constexpr auto functions = std::tuple{tenon::function<&Unary::apply>("apply", "x", "y")};
    static constexpr auto options = std::tuple{
        tenon::option<&Unary::columns>("columns", {"observation"}, "", "which columns, rewards and extras included"),
        tenon::required<&Unary::function>("function",
                                          "abs|cos|erf|exp|expm1|floor|log|log1p|neg|relu|sigmoid|sign|sin|softplus|"
                                          "sqrt|square|symexp|symlog|tanh",
                                          "the function"),
    };

private:
    static tenon::Value symlog(tenon::In x) { return sign(x) * log1p(abs(x)); }
    static tenon::Value symexp(tenon::In x) { return sign(x) * expm1(abs(x)); }
};
