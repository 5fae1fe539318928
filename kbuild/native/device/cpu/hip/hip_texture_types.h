/* For sources that include this HIP header. */
#pragma once
#include "hip_runtime.h"
