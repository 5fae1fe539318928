#pragma once

int look_up_in_plugin(int index);
