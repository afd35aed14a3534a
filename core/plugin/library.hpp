// SPDX-License-Identifier: Apache-2.0
// A shared library in this process, for good. Plugins and the host's own modules are loaded through it.
#pragma once

#include <filesystem>
#include <utility>

#include "error/result.hpp"

namespace boost::dll {
class shared_library;  // NOLINT(readability-identifier-naming): Boost's name
}

namespace tenon {

class Library {
public:
    // All symbols are bound now and stay private to the library. The path is made absolute, so that no search path of
    // the system has a say. Runs the library's static constructors; the floating-point settings are as before
    // afterwards. A failure is the plugin's, with the dynamic linker's own text.
    static Result<Library> load(const std::filesystem::path& file);

    // The address of an exported function or object.
    [[nodiscard]] Result<void*> symbol(const char* name) const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // Whether its static constructors left other floating-point settings, which have been put back.
    [[nodiscard]] bool changed_floating_point() const { return changed_floating_point_; }

private:
    Library(std::filesystem::path path, const boost::dll::shared_library* held, bool changed_floating_point)
        : path_(std::move(path)), held_(held), changed_floating_point_(changed_floating_point) {}

    std::filesystem::path path_;
    // Never deleted, because its destructor unmaps: threads, thread-local destructors, exit handlers and tables of
    // functions that somebody still holds would all point into nothing.
    const boost::dll::shared_library* held_;
    bool changed_floating_point_;
};

}  // namespace tenon
