// SPDX-License-Identifier: Apache-2.0
// Everything that the program prints may quote files, manifests and plugins. This is the one place that escapes what a
// terminal would obey; code that draws on the terminal bypasses it.
#pragma once

#include <iosfwd>
#include <streambuf>
#include <string>
#include <string_view>

namespace tenon::host {

// During its lifetime, the stream prints its text as `printable` escapes it.
class PrintableStream final : public std::streambuf {
public:
    explicit PrintableStream(std::ostream& stream);
    ~PrintableStream() override;
    PrintableStream(const PrintableStream&) = delete;
    PrintableStream& operator=(const PrintableStream&) = delete;

    [[nodiscard]] std::streambuf* inner() const { return inner_; }

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    bool put(std::string_view text);

    std::ostream& stream_;
    std::streambuf* inner_;
    std::string begun_;  // the bytes of a character that is not complete yet
};

// Prints text with escape sequences of our own to such a stream, and flushes it.
void draw(std::ostream& stream, std::string_view text);

}  // namespace tenon::host
