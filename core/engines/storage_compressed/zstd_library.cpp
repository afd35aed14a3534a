// SPDX-License-Identifier: Apache-2.0
#include "engines/storage_compressed/zstd_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace tenon {

struct Zstd::Functions {
    void* library = nullptr;
    std::size_t (*bound)(std::size_t) = nullptr;
    unsigned (*is_error)(std::size_t) = nullptr;
    void* (*make_compressor)() = nullptr;
    std::size_t (*free_compressor)(void*) = nullptr;
    std::size_t (*compress)(void*, void*, std::size_t, const void*, std::size_t, int) = nullptr;
    void* (*make_decompressor)() = nullptr;
    std::size_t (*free_decompressor)(void*) = nullptr;
    std::size_t (*decompress)(void*, void*, std::size_t, const void*, std::size_t) = nullptr;

    [[nodiscard]] bool complete() const {
        return bound != nullptr && is_error != nullptr && make_compressor != nullptr && free_compressor != nullptr &&
               compress != nullptr && make_decompressor != nullptr && free_decompressor != nullptr &&
               decompress != nullptr;
    }
};

namespace {

constexpr const char* kVariable = "TENON_ZSTD";

Problem missing(const std::string& why) {
    return environment_problem("a compressed buffer needs libzstd: " + why, {},
                               "install it (Debian: libzstd1), name the file in TENON_ZSTD, or use another storage");
}

template <class Symbol>
void find(void* library, const char* name, Symbol& out) {
    out = reinterpret_cast<Symbol>(dlsym(library, name));
}

}  // namespace

Zstd::Zstd(std::shared_ptr<const Functions> functions, void* to_compress, void* to_decompress)
    : functions_(std::move(functions)),
      to_compress_(to_compress, Free{functions_->free_compressor}),
      to_decompress_(to_decompress, Free{functions_->free_decompressor}) {}

Result<Zstd> Zstd::open() {
    const char* const named = std::getenv(kVariable);
    Functions found;
    found.library = dlopen(named != nullptr ? named : "libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (found.library == nullptr) {
        return missing(named != nullptr ? "TENON_ZSTD names " + std::string(named) + ", which cannot be loaded"
                                        : "this machine has no libzstd.so.1");
    }
    find(found.library, "ZSTD_compressBound", found.bound);
    find(found.library, "ZSTD_isError", found.is_error);
    find(found.library, "ZSTD_createCCtx", found.make_compressor);
    find(found.library, "ZSTD_freeCCtx", found.free_compressor);
    find(found.library, "ZSTD_compressCCtx", found.compress);
    find(found.library, "ZSTD_createDCtx", found.make_decompressor);
    find(found.library, "ZSTD_freeDCtx", found.free_decompressor);
    find(found.library, "ZSTD_decompressDCtx", found.decompress);
    if (!found.complete()) {
        return missing("the one that was found lacks functions of zstd 1.0");
    }
    Zstd out(std::make_shared<const Functions>(found), found.make_compressor(), found.make_decompressor());
    return out.to_compress_ != nullptr && out.to_decompress_ != nullptr ? Result<Zstd>(std::move(out))
                                                                        : Result<Zstd>(missing("it has no memory"));
}

Result<std::size_t> Zstd::compress(std::span<const std::byte> bytes, int level, std::vector<std::byte>& out) {
    const std::size_t most = functions_->bound(bytes.size());
    if (out.size() < most) {
        out.resize(most);
    }
    const std::size_t size =
        functions_->compress(to_compress_.get(), out.data(), out.size(), bytes.data(), bytes.size(), level);
    return functions_->is_error(size) != 0 ? Result<std::size_t>(missing("it has no memory"))
                                           : Result<std::size_t>(size);
}

bool Zstd::decompress(std::span<const std::byte> bytes, std::span<std::byte> out) {
    const std::size_t size =
        functions_->decompress(to_decompress_.get(), out.data(), out.size(), bytes.data(), bytes.size());
    return functions_->is_error(size) == 0 && size == out.size();
}

}  // namespace tenon
