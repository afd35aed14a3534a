// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, written for a single step: they read their memory, and the host runs them over sequences. Parameters
// and gates have the names and the order of PyTorch's GRU and LSTM.
#pragma once

#include <cmath>
#include <cstdint>
#include <source_location>
#include <string>

#include "tenon/nets.hpp"

namespace tenon {
inline namespace TENON_SDK {

namespace detail {

// One product for all gates: x W' + b.
inline Value gates(const Graph& g, const std::string& name, const char* which, Value x, std::int64_t width,
                   std::int64_t size) {
    const std::int64_t inputs = last_size(x);
    const double bound = 1.0 / std::sqrt(static_cast<double>(size));
    const Value weight = g.parameter((name + ".weight_" + which).c_str(), {width, inputs}, uniform(bound));
    const Value bias = g.parameter((name + ".bias_" + which).c_str(), {width}, uniform(bound));
    return linear(x, weight, bias);
}

}  // namespace detail

// Cho et al. 2014, one step: x [.., n] and the hidden state before [.., size] -> the one after.
inline Value gru_step(const Graph& g, const std::string& name, Value x, Value hidden, std::int64_t size,
                      std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const Value of_x = detail::gates(g, name, "ih", x, 3 * size, size);
    const Value of_hidden = detail::gates(g, name, "hh", hidden, 3 * size, size);
    const Value reset = sigmoid(slice(of_x, 0, size) + slice(of_hidden, 0, size));
    const Value update = sigmoid(slice(of_x, size, size) + slice(of_hidden, size, size));
    const Value fresh = tanh(slice(of_x, 2 * size, size) + reset * slice(of_hidden, 2 * size, size));
    return fresh + update * (hidden - fresh);
}

// The same over time: x [.., n] -> [.., size]; its memory is NAME_hidden.
inline Value gru(const Graph& g, const std::string& name, Value x, std::int64_t size,
                 std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::string memory = name + "_hidden";
    const Value next = gru_step(g, name, x, g.memory(memory.c_str(), {size}), size, at);
    g.remember(memory.c_str(), next);
    return next;
}

// Hochreiter and Schmidhuber 1997, with forget gates; its memory is NAME_hidden and NAME_cell.
inline Value lstm(const Graph& g, const std::string& name, Value x, std::int64_t size,
                  std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::string hidden_name = name + "_hidden";
    const std::string state_name = name + "_cell";
    const Value hidden = g.memory(hidden_name.c_str(), {size});
    const Value cell = g.memory(state_name.c_str(), {size});
    const Value all =
        detail::gates(g, name, "ih", x, 4 * size, size) + detail::gates(g, name, "hh", hidden, 4 * size, size);
    const Value in = sigmoid(slice(all, 0, size));
    const Value forget = sigmoid(slice(all, size, size));
    const Value fresh = tanh(slice(all, 2 * size, size));
    const Value out = sigmoid(slice(all, 3 * size, size));
    const Value next_cell = forget * cell + in * fresh;
    const Value next = out * tanh(next_cell);
    g.remember(state_name.c_str(), next_cell);
    g.remember(hidden_name.c_str(), next);
    return next;
}

// The names of several cells in which each reads the one before: NAME, NAME1, NAME2 and so on.
inline std::string cell_name(const std::string& name, std::int64_t layer) {
    return layer == 0 ? name : name + std::to_string(layer);
}

// The layers of torch.nn.GRU with num_layers.
inline Value gru_layers(const Graph& g, const std::string& name, Value x, std::int64_t size, std::int64_t layers,
                        std::source_location at = std::source_location::current()) {
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        x = gru(g, cell_name(name, layer), x, size, at);
    }
    return x;
}

// The layers of torch.nn.LSTM with num_layers.
inline Value lstm_layers(const Graph& g, const std::string& name, Value x, std::int64_t size, std::int64_t layers,
                         std::source_location at = std::source_location::current()) {
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        x = lstm(g, cell_name(name, layer), x, size, at);
    }
    return x;
}

}  // namespace TENON_SDK
}  // namespace tenon
