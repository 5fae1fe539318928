#pragma once

static __global__ void from_header(int *p) { *p = 5; }
