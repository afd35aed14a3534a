// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compute/graph/limits.hpp"

namespace tenon::graph::fields {
namespace {

std::string array_defect(const std::string& owner, const char* what, const void* array, std::uint64_t count) {
    if (is_readable(array, count)) {
        return {};
    }
    return owner + " has " + std::to_string(count) + " " + what +
           (count > kMostCount ? "; the maximum is " + std::to_string(kMostCount) : ", but their address is null");
}

std::string text_defect(const std::string& what, tn_str text) {
    if (is_readable(text.data, text.size)) {
        return {};
    }
    return what + " has " + std::to_string(text.size) + " characters, " +
           (text.size > kMostCount ? "but a text can have at most " + std::to_string(kMostCount)
                                   : "but its address is null");
}

std::string value_defect(const std::string& what, const tn_attribute& attribute) {
    switch (attribute.kind) {
        case TN_ATTRIBUTE_INT:
        case TN_ATTRIBUTE_FLOAT:
            return {};
        case TN_ATTRIBUTE_STRING:
            return text_defect(what, attribute.text);
        case TN_ATTRIBUTE_INTS:
            return array_defect(what, "integers", attribute.integers, attribute.count);
        case TN_ATTRIBUTE_STRINGS: {
            std::string out = array_defect(what, "texts", attribute.texts, attribute.count);
            for (std::uint64_t i = 0; out.empty() && i < attribute.count; ++i) {
                out = text_defect("text " + std::to_string(i) + " of " + what, attribute.texts[i]);
            }
            return out;
        }
        default:
            return what + " is of kind " + std::to_string(attribute.kind) + ", which this host does not know";
    }
}

}  // namespace

bool is_readable(const void* array, std::uint64_t count) {
    return count <= kMostCount && (array != nullptr || count == 0);
}

std::string defect(const tn_node& node) {
    if (!inside(node, &tn_node::out_capacity) || node.struct_size > kMostStructSize) {
        return "it is a tn_node of struct_size " + std::to_string(node.struct_size) + ", but this host knows " +
               std::to_string(sizeof node);
    }
    std::string out = array_defect("it", "inputs", node.in, node.in_count);
    if (out.empty()) {
        out = array_defect("it", "attributes", static_cast<const void*>(node.attributes), node.attribute_count);
    }
    return out.empty() ? array_defect("it", "places for results", node.out, node.out_capacity) : out;
}

std::string defect(const tn_attribute* attribute) {
    if (attribute == nullptr) {
        return "one of its attributes is null";
    }
    if (!inside(*attribute, &tn_attribute::count) || attribute->struct_size > kMostStructSize) {
        return "one of its attributes is a tn_attribute of struct_size " + std::to_string(attribute->struct_size) +
               ", but this host knows " + std::to_string(sizeof *attribute);
    }
    const std::string of_key = text_defect("the key of an attribute", attribute->key);
    return of_key.empty() ? value_defect("the attribute '" + text(attribute->key) + "'", *attribute) : of_key;
}

std::string text(tn_str text) {
    return text.data == nullptr ? std::string{} : std::string(text.data, text.size);
}

std::string text(const char* text) {
    constexpr std::size_t kLongest = 4096;
    return text == nullptr ? std::string{} : std::string(text, ::strnlen(text, kLongest));
}

Attribute read(const tn_attribute& a) {
    Attribute out{text(a.key), a.integer};
    switch (a.kind) {
        case TN_ATTRIBUTE_FLOAT:
            out.value = a.real;
            break;
        case TN_ATTRIBUTE_STRING:
            out.value = text(a.text);
            break;
        case TN_ATTRIBUTE_INTS:
            out.value = std::vector<std::int64_t>(a.integers, a.integers + a.count);
            break;
        case TN_ATTRIBUTE_STRINGS: {
            std::vector<std::string> texts;
            for (std::uint64_t i = 0; i < a.count; ++i) {
                texts.push_back(text(a.texts[i]));
            }
            out.value = std::move(texts);
            break;
        }
        default:
            break;
    }
    return out;
}

}  // namespace tenon::graph::fields
