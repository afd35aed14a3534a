// SPDX-License-Identifier: Apache-2.0
// The only file that includes Boost.DLL.
#include "plugins/plugin/library.hpp"

#include <boost/dll/shared_library.hpp>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "plugins/plugin/floating_point.hpp"

namespace tenon {
namespace {

// Boost 1.81 puts dlerror's text into "... (dlerror system message: TEXT): REASON", where REASON is a stale errno.
std::string linker_text(std::string_view what) {
    constexpr std::string_view kMark = "dlerror system message: ";
    const std::size_t begin = what.find(kMark);
    const std::size_t end = what.rfind("): ");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + kMark.size()) {
        return std::string(what);
    }
    return std::string(what.substr(begin + kMark.size(), end - begin - kMark.size()));
}

// The linker's text begins with the path, and so does ours.
std::string without_prefix(const std::string& text, const std::string& path) {
    const std::string prefix = path + ": ";
    return text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : text;
}

// Keeps the library for ever, reachable for leak checkers.
const boost::dll::shared_library* keep(std::unique_ptr<boost::dll::shared_library> library) {
    static std::mutex mutex;
    static auto& kept = *new std::vector<std::unique_ptr<boost::dll::shared_library>>;
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(library));
    return kept.back().get();
}

}  // namespace

Result<Library> Library::load(const std::filesystem::path& file) {
    std::error_code code;
    std::filesystem::path path = std::filesystem::absolute(file, code);
    if (code) {
        path = file;
    }
    const FloatingPointGuard guard;
    auto library = std::make_unique<boost::dll::shared_library>();
    try {
        library->load(path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    } catch (const std::exception& error) {
        return plugin_problem(path.string() +
                              " cannot be loaded: " + without_prefix(linker_text(error.what()), path.string()));
    } catch (...) {
        return plugin_problem(path.string() + " cannot be loaded: one of its constructors threw an exception");
    }
    return Library(std::move(path), keep(std::move(library)), guard.changed());
}

Result<void*> Library::symbol(const char* name) const {
    try {
        return static_cast<void*>(&held_->get<char>(name));
    } catch (const std::exception&) {
        return plugin_problem(path_.string() + " does not export '" + name + "'");
    }
}

}  // namespace tenon
