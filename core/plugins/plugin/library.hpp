// SPDX-License-Identifier: Apache-2.0
// A shared library that stays loaded until the process ends. It loads plugins and the host's own modules.
#pragma once

#include <filesystem>
#include <utility>

#include "base/error/result.hpp"

namespace boost::dll {
class shared_library;  // NOLINT(readability-identifier-naming): Boost's name
}

namespace tenon {

class Library {
public:
    // Binds all symbols at once and keeps them private to the library. The path is made absolute, so that the system's
    // search paths do not apply. Runs the library's static constructors and then restores the floating-point settings.
    // A failure is the plugin's, with the dynamic linker's text.
    static Result<Library> load(const std::filesystem::path& file);

    // The address of an exported function or object.
    [[nodiscard]] Result<void*> symbol(const char* name) const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // Whether its static constructors changed the floating-point settings, which have been restored.
    [[nodiscard]] bool changed_floating_point() const { return changed_floating_point_; }

private:
    Library(std::filesystem::path path, const boost::dll::shared_library* held, bool changed_floating_point)
        : path_(std::move(path)), held_(held), changed_floating_point_(changed_floating_point) {}

    std::filesystem::path path_;
    // Never deleted, because its destructor unmaps the library: threads, thread-local destructors, exit handlers and
    // function tables would be left with dangling pointers.
    const boost::dll::shared_library* held_;
    bool changed_floating_point_;
};

}  // namespace tenon
