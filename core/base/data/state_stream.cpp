// SPDX-License-Identifier: Apache-2.0
#include "base/data/state_stream.hpp"

#include <algorithm>
#include <cstring>

namespace tenon {
namespace {

constexpr std::uint64_t kLongestText = 64 << 10;
constexpr std::uint64_t kChunk = 1 << 20;

}  // namespace

void StateSink::bytes(const void* data, std::uint64_t size) {
    if (failure_ == TN_OK && size > 0) {
        failure_ = writer_->write(writer_->ctx, data, size);
    }
}

void StateSink::text(std::string_view value) {
    number<std::uint64_t>(value.size());
    bytes(value.data(), value.size());
}

Status StateSink::status(std::string_view what) const {
    if (failure_ == TN_OK) {
        return {};
    }
    if (failure_ == TN_OUT_OF_MEMORY) {
        return environment_problem("there is not enough memory to save " + std::string(what));
    }
    return environment_problem(std::string(what) + " could not be saved (status " + std::to_string(failure_) + ")");
}

void StateSource::bytes(void* data, std::uint64_t size) {
    auto* out = static_cast<unsigned char*>(data);
    std::uint64_t done = 0;
    while (done < size && !failed_) {
        std::uint64_t got = 0;
        const tn_status status = reader_->read(reader_->ctx, out + done, size - done, &got);
        failed_ = status != TN_OK || got == 0 || got > size - done;
        done += failed_ ? 0 : got;
    }
    if (failed_ && size > 0) {
        std::memset(out, 0, size);
    }
}

std::string StateSource::text() {
    const auto size = number<std::uint64_t>();
    failed_ = failed_ || size > kLongestText;
    std::string out(failed_ ? 0 : size, '\0');
    bytes(out.data(), out.size());
    return failed_ ? std::string() : out;
}

bool StateSource::blob(std::vector<std::byte>& out) {
    std::uint64_t left = number<std::uint64_t>();
    out.clear();
    while (left > 0 && !failed_) {
        const std::uint64_t n = std::min(left, kChunk);
        out.resize(out.size() + n);
        bytes(out.data() + (out.size() - n), n);
        left -= n;
    }
    return !failed_;
}

Status StateSource::status(std::string_view what) const {
    if (!failed_) {
        return {};
    }
    return input_problem("the saved state of " + std::string(what) + " ends too early or is damaged");
}

}  // namespace tenon
