#include "opencl.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#ifdef HAS_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace opencl {
namespace {

void require(cl_int error, const char* what)
{
    if (error == CL_SUCCESS)
        return;
    std::fprintf(stderr, "OpenCL: %s failed with error %d\n", what, error);
    std::exit(1);
}

cl_device_id find_device()
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        return nullptr;
    for (cl_uint i = 0; i < count; ++i) {
        cl_device_id device = nullptr;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS)
            return device;
    }
    return nullptr;
}

struct Session {
    cl_device_id device = find_device();
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;

    Session()
    {
        if (!device)
            return;
        cl_int error;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
        require(error, "clCreateContext");
        queue = clCreateCommandQueue(context, device, 0, &error);
        require(error, "clCreateCommandQueue");
        std::stringstream text;
        text << std::ifstream(KERNELS_DIRECTORY "/kernels.cl").rdbuf();
        const std::string source = text.str();
        const char* start = source.c_str();
        program = clCreateProgramWithSource(context, 1, &start, nullptr, &error);
        require(error, "clCreateProgramWithSource");
        require(clBuildProgram(program, 1, &device, "-I " KERNELS_DIRECTORY, nullptr, nullptr),
                "clBuildProgram");
    }
};

const Session& session()
{
    static const Session only;
    return only;
}

} // namespace

bool is_available()
{
    return session().device;
}

bool has_kernel(const std::string& name)
{
    cl_int error;
    const cl_kernel kernel = clCreateKernel(session().program, name.c_str(), &error);
    if (error == CL_SUCCESS)
        clReleaseKernel(kernel);
    return error == CL_SUCCESS;
}

std::function<void()> prepare(const std::string& name, Range range, std::vector<Argument> arguments)
{
    cl_int error;
    const cl_kernel kernel = clCreateKernel(session().program, name.c_str(), &error);
    require(error, "clCreateKernel");
    for (cl_uint i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        if (!argument.memory) {
            require(clSetKernelArg(kernel, i, argument.value.size(), argument.value.data()),
                    "clSetKernelArg");
            continue;
        }
        const cl_mem buffer = clCreateBuffer(session().context, CL_MEM_USE_HOST_PTR,
                                             argument.bytes, argument.memory, &error);
        require(error, "clCreateBuffer");
        require(clSetKernelArg(kernel, i, sizeof buffer, &buffer), "clSetKernelArg");
    }
    const std::size_t x = range.blocks[0] * range.threads[0];
    const std::size_t y = range.blocks[1] * range.threads[1];
    return [=] {
        const std::size_t global[] = {x, y};
        require(clEnqueueNDRangeKernel(session().queue, kernel, 2, nullptr, global, range.threads,
                                       0, nullptr, nullptr),
                "clEnqueueNDRangeKernel");
        require(clFinish(session().queue), "clFinish");
    };
}

} // namespace opencl

#else

namespace opencl {

bool is_available()
{
    return false;
}

bool has_kernel(const std::string&)
{
    return false;
}

std::function<void()> prepare(const std::string&, Range, std::vector<Argument>)
{
    return {};
}

} // namespace opencl

#endif
