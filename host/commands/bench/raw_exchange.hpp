// SPDX-License-Identifier: Apache-2.0
// An exchange of numbers by a plain TCP connection, with which an exchange of gradients is compared.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/sync.hpp"

namespace tenon {

// Where one side waits for the other, on a port of its own.
struct RawListener {
    FileDescriptor socket;
    int port = 0;
};

// `any`: also from other machines.
Result<RawListener> listen_raw(bool any);

// Both wait at most 10 s. The connection that does not begin with the word is a stranger's.
Result<FileDescriptor> accept_raw(const RawListener& listener, const std::string& word);
Result<FileDescriptor> connect_raw(const std::string& host, int port, const std::string& word);

// Sends the numbers while those of the other side are received, and adds these to them. `scratch` has the same size.
Status exchange_raw(int connection, std::span<float> numbers, std::vector<float>& scratch);

}  // namespace tenon
