// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/jit_copy.hpp"

#include <cstdint>
#include <vector>

#include "engines/cuda/jit_places.hpp"

namespace tenon::compiled::device {
namespace {

// The same as copy_item of copies.cuh, as text: element i of an item.
std::string statement_of(const CopyItem& item, const std::string& further) {
    const std::string in(item.adds != 0 || item.widens != 0 ? "float"
                                                            : type_of(static_cast<std::uint16_t>(item.bytes)));
    const std::string out = item.widens != 0 ? "double" : in;
    const std::string value = item.from.at == nullptr ? "0"
                                                      : "static_cast<const " + in + "*>(" + address_text(item.from.at) +
                                                            ")[" + place_text(item.from) + "]";
    return "static_cast<" + out + "*>(" + address_text(item.to) + further + ")[i] " + (item.adds != 0 ? "+=" : "=") +
           " " + value + ";\n";
}

}  // namespace

// The threads share the elements of all items, one item after the other.
std::string text_of_copy(const CopyWork& work, std::span<const TableCopy> tables) {
    const std::vector<CopyItem> items = entries_of(work.items, work.count, tables);
    std::vector<Place> places;
    std::int64_t all = 0;
    for (const CopyItem& item : items) {
        places.push_back(item.from);
        all += item.count;
    }
    const std::string index(index_type(places, all));
    const std::string further = work.place == nullptr ? "" : " + further";
    std::string out;
    if (work.place != nullptr) {
        out += "const std::uint64_t further = *static_cast<const std::uint64_t*>(" + address_text(work.place) + ") * " +
               std::to_string(work.apart) + ";\n";
    }
    out += "for (" + index + " n = first_of_thread(blocks); n < " + std::to_string(all) +
           "; n += all_threads(blocks)) {\n";
    std::int64_t begin = 0;
    for (const CopyItem& item : items) {
        const std::int64_t end = begin + item.count;
        out += "if (n < " + std::to_string(end) + ") {\nconst " + index + " i = n - " + std::to_string(begin) + ";\n" +
               statement_of(item, further) + "continue;\n}\n";
        begin = end;
    }
    return out + "}\n";
}

}  // namespace tenon::compiled::device
