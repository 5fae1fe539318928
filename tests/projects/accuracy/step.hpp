// A parameter type, which stub units also include.
#pragma once

struct Step {
    float by;
    char tag;
};
