// A parameter type, which stub units see as well.
#pragma once

struct Step {
    float by;
    char tag;
};
