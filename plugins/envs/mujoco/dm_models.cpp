// SPDX-License-Identifier: Apache-2.0
#include "dm_models.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace physics {
namespace {

// "joint_3". On the stack, because an error of MuJoCo jumps over destructors.
class Numbered {
public:
    Numbered(std::string_view word, int number) {
        char* const end = std::ranges::copy(word, text_.begin()).out;
        *std::to_chars(end, text_.data() + text_.size() - 1, number).ptr = 0;
    }
    [[nodiscard]] const char* text() const { return text_.data(); }

private:
    std::array<char, 32> text_{};
};

void add_poles(mjSpec& model, int poles) {
    const mjsDefault* const kind = mjs_findDefault(&model, "pole");
    mjsBody* parent = mjs_findBody(&model, "pole_1");
    for (int i = 2; i <= poles; ++i) {
        mjsBody* const pole = mjs_addBody(parent, kind);
        mjs_setName(pole->element, Numbered("pole_", i).text());
        mjs_setString(pole->childclass, "pole");
        pole->pos[2] = 1;
        mjs_setName(mjs_addJoint(pole, kind)->element, Numbered("hinge_", i).text());
        mjs_setName(mjs_addGeom(pole, kind)->element, Numbered("pole_", i).text());
        parent = pole;
    }
    mjs_asGeom(mjs_findElement(&model, mjOBJ_GEOM, "floor"))->pos[2] = 1 - poles - .05;
}

void add_sensor(mjSpec& model, mjtSensor type, const Numbered& name, const Numbered& site) {
    mjsSensor* const sensor = mjs_addSensor(&model);
    mjs_setName(sensor->element, name.text());
    sensor->type = type;
    sensor->objtype = mjOBJ_SITE;
    mjs_setString(sensor->objname, site.text());
}

void add_segment(mjSpec& model, mjsBody* segment, int number, double limit) {
    const mjsDefault* const kind = mjs_findDefault(&model, "swimmer");
    const Numbered site("site_", number);
    const Numbered joint("joint_", number);
    mjs_setName(segment->element, Numbered("segment_", number).text());
    segment->pos[1] = .1;
    mjs_setName(mjs_addGeom(segment, mjs_findDefault(&model, "visual"))->element, Numbered("visual_", number).text());
    mjs_setName(mjs_addGeom(segment, mjs_findDefault(&model, "inertial"))->element,
                Numbered("inertial_", number).text());
    mjs_setName(mjs_addSite(segment, kind)->element, site.text());
    mjsJoint* const hinge = mjs_addJoint(segment, kind);
    mjs_setName(hinge->element, joint.text());
    hinge->range[0] = -limit;
    hinge->range[1] = limit;
    mjsActuator* const motor = mjs_addActuator(&model, mjs_getSpecDefault(&model));
    mjs_setName(motor->element, Numbered("motor_", number).text());
    mjs_setToMotor(motor);
    motor->trntype = mjTRN_JOINT;
    mjs_setString(motor->target, joint.text());
    add_sensor(model, mjSENS_VELOCIMETER, Numbered("velocimeter_", number), site);
    add_sensor(model, mjSENS_GYRO, Numbered("gyro_", number), site);
}

void make_swimmer(mjSpec& model, int links) {
    mjsBody* parent = mjs_findBody(&model, "head");
    for (int i = 0; i + 1 < links; ++i) {
        parent = mjs_addBody(parent, mjs_findDefault(&model, "swimmer"));
        add_segment(model, parent, i, 360.0 / links);
    }
}

}  // namespace

void add_second_pole(mjSpec& model) {
    add_poles(model, 2);
}
void add_three_poles(mjSpec& model) {
    add_poles(model, 3);
}
void make_swimmer6(mjSpec& model) {
    make_swimmer(model, 6);
}
void make_swimmer15(mjSpec& model) {
    make_swimmer(model, 15);
}

}  // namespace physics
