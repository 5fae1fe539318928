/* Plans of cuFFT whose types are arguments.
 *
 * The functions for several GPUs, callbacks, and half precision do not exist on the CPU. */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include "cufft.h"

#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n,
                                long long int* inembed, long long int istride, long long int idist,
                                cudaDataType inputtype, long long int* onembed,
                                long long int ostride, long long int odist, cudaDataType outputtype,
                                long long int batch, size_t* workSize, cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void* input, void* output, int direction);

#ifdef __cplusplus
}
#endif

#endif
