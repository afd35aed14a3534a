// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/path.hpp"

#include <filesystem>

namespace tenon {

std::string absolute_path(const std::string& path, const Place& place) {
    // The place of a --set is the option's name, "--set #1", so its folder is the working directory.
    const std::filesystem::path folder = std::filesystem::path(place.file).parent_path();
    std::error_code failure;  // an absolute path needs the working directory, which may not exist any more
    const std::filesystem::path absolute = std::filesystem::absolute(folder / path, failure);
    return (failure ? folder / path : absolute).lexically_normal().string();
}

void make_absolute(const OptionSchema& schema, const Place& place, OptionValue& value) {
    auto* const text = std::get_if<std::string>(&value);
    const bool is_path = schema.path == PathForm::kFile ||
                         (schema.path == PathForm::kFileOrName && text && text->find('/') != std::string::npos);
    if (text != nullptr && is_path && !text->empty()) {
        *text = absolute_path(*text, place);
    }
}

}  // namespace tenon
