// What kernels, loops, and OpenCL C agree on.
#ifndef SIZES
#define SIZES

#define BLOCK_SIZE 256
#define TILE 16
#define LARGE_TILE 32
#define RADIUS 4         /* of the stencil */
#define BINS 256         /* of the histogram */
#define PER_THREAD 16    /* how many values a thread of the histogram counts */
#define COLUMNS 1024     /* of a row of the softmax */

#endif
