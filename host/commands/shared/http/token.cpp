// SPDX-License-Identifier: Apache-2.0
#include "shared/http/token.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/file/atomic.hpp"
#include "base/file/sync.hpp"

namespace tenon {
namespace {

constexpr std::size_t kDigits = 32;

// None: there is no file, or it was not written by make, or others can read it.
std::optional<std::string> read_token(const std::filesystem::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info{};
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() ||
        (info.st_mode & 077U) != 0) {
        return std::nullopt;
    }
    std::string text(kDigits + 1, '\0');
    const ssize_t got = ::read(file.get(), text.data(), text.size());
    const bool whole = got == static_cast<ssize_t>(kDigits) && text.find_first_not_of("0123456789abcdef") == kDigits;
    text.resize(kDigits);
    return whole ? std::optional(text) : std::nullopt;
}

}  // namespace

Result<std::string> make_token() {
    std::array<unsigned char, kDigits / 2> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        return environment_problem("the system gives no random bytes for a token");
    }
    std::string out;
    for (const unsigned char byte : bytes) {
        out += "0123456789abcdef"[byte >> 4U];
        out += "0123456789abcdef"[byte & 15U];
    }
    return out;
}

Result<std::string> kept_token(const std::filesystem::path& path) {
    if (std::optional<std::string> token = read_token(path)) {
        return std::move(*token);
    }
    Result<std::string> token = make_token();
    if (!token) {
        return token;
    }
    TENON_TRY(make_folders(folder_of(path)));
    const std::filesystem::path draft = temporary_in_same_folder(path);
    const FileDescriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.get() < 0 || ::write(file.get(), token->data(), token->size()) != static_cast<ssize_t>(token->size()) ||
        ::rename(draft.c_str(), path.c_str()) != 0) {
        Problem problem = file_problem("write", path, errno);
        ::unlink(draft.c_str());
        return problem;
    }
    std::optional<std::string> kept = read_token(path);  // another process may have been faster
    return kept ? Result(std::move(*kept)) : std::move(token);
}

Result<std::string> token_in(const std::filesystem::path& folder) {
    Result<std::string> token = folder.empty() ? make_token() : kept_token(folder / "http_token");
    return token ? std::move(token) : make_token();
}

bool equal_secrets(std::string_view a, std::string_view b) {
    unsigned different = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(i < b.size() ? b[i] : 0);
    }
    return different == 0;
}

}  // namespace tenon
