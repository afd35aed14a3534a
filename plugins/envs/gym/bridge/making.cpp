// SPDX-License-Identifier: Apache-2.0
#include "making.hpp"

#include "tenon/json.hpp"

namespace bridge {
namespace {

std::string json_list(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) {
        out += (out.empty() ? "" : ",") + json_string(text);
    }
    return "[" + out + "]";
}

}  // namespace

std::string json_string(std::string_view text) {
    tenon::JsonText count;
    count.string(text);
    std::string out(count.size(), '\0');
    tenon::JsonText(out.data()).string(text);
    return out;
}

std::string json_of(const Making& making) {
    return "\"id\":" + json_string(making.id) + ",\"id_option\":" + json_string(making.id_option) +
           ",\"name\":" + json_string(making.name) + ",\"folder\":" + json_string(making.folder) +
           ",\"kwargs\":" + making.kwargs + ",\"vector\":" + json_string(making.vector) +
           ",\"action_mask\":" + json_string(making.action_mask) + ",\"infos\":" + json_list(making.infos) +
           ",\"leave_out\":" + json_list(making.leave_out) + ",\"groups\":" + making.groups +
           ",\"may_leave\":" + (making.may_leave ? "true" : "false") + ",\"turns\":" + json_string(making.turns) +
           ",\"max_episode_steps\":" + std::to_string(making.max_episode_steps);
}

}  // namespace bridge
