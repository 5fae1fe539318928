/* The name of the header in older versions. */
#include "cusparse.h"
