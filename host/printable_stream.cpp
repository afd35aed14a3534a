// SPDX-License-Identifier: Apache-2.0
#include "printable_stream.hpp"

#include <cstddef>
#include <ostream>
#include <utility>

#include "base/error/printable.hpp"

namespace tenon::host {
namespace {

// The number of bytes at the end of the text that may be the beginning of a character.
std::size_t begun_at_end(std::string_view text) {
    constexpr std::size_t kLongest = 4;
    for (std::size_t size = 1; size < kLongest && size <= text.size(); ++size) {
        const auto byte = static_cast<unsigned char>(text[text.size() - size]);
        if ((byte & 0xc0U) != 0x80U) {
            const std::size_t needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
            return size < needed ? size : 0;
        }
    }
    return 0;
}

}  // namespace

PrintableStream::PrintableStream(std::ostream& stream) : stream_(stream), inner_(stream.rdbuf(this)) {}

PrintableStream::~PrintableStream() {
    put(begun_);
    stream_.rdbuf(inner_);
}

bool PrintableStream::put(std::string_view text) {
    const std::string shown = printable(text);
    const auto size = static_cast<std::streamsize>(shown.size());
    return inner_->sputn(shown.data(), size) == size;
}

PrintableStream::int_type PrintableStream::overflow(int_type c) {
    const char one = traits_type::to_char_type(c);
    return traits_type::eq_int_type(c, traits_type::eof()) || xsputn(&one, 1) == 1 ? traits_type::not_eof(c)
                                                                                   : traits_type::eof();
}

std::streamsize PrintableStream::xsputn(const char* text, std::streamsize size) {
    begun_.append(text, static_cast<std::size_t>(size));
    const std::string all = std::exchange(begun_, {});
    const std::size_t whole = all.size() - begun_at_end(all);
    begun_ = all.substr(whole);
    return put(std::string_view(all).substr(0, whole)) ? size : 0;
}

int PrintableStream::sync() {
    return inner_->pubsync();
}

void draw(std::ostream& stream, std::string_view text) {
    const auto* const around = dynamic_cast<PrintableStream*>(stream.rdbuf());
    std::ostream inner(around != nullptr ? around->inner() : stream.rdbuf());
    inner << text << std::flush;
}

}  // namespace tenon::host
