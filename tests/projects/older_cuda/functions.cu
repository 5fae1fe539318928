/* The functions of CUDA 12 and 11. The program returns the number of calls that fail. */
#include <cuda_runtime.h>

__global__ void fill(int *out) { *out = 1; }

int main() {
    int *out, failures = 0;
    cudaDeviceProp properties;
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2], from, to;
    cudaGraphExec_t executable;
    size_t count = 1;
    failures += cudaMallocManaged(&out, sizeof *out) != cudaSuccess;
    fill<<<1, 1>>>(out);
    failures += cudaThreadSynchronize() != cudaSuccess || *out != 1;
    failures += cudaGetDeviceProperties(&properties, 0) != cudaSuccess || properties.clockRate <= 0;
    failures += cudaMemAdvise(out, 4, cudaMemAdviseSetReadMostly, 0) != cudaSuccess;
    failures += cudaMemPrefetchAsync(out, 4, 0, 0) != cudaSuccess;
    failures += cudaGraphCreate(&graph, 0) != cudaSuccess;
    for (cudaGraphNode_t &node : nodes)
        failures += cudaGraphAddEmptyNode(&node, graph, nullptr, 0) != cudaSuccess;
    failures += cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], 1) != cudaSuccess;
    failures += cudaGraphGetEdges(graph, &from, &to, &count) != cudaSuccess || count != 1;
    failures += cudaGraphNodeGetDependencies(nodes[1], &from, &count) != cudaSuccess;
    failures += cudaGraphNodeGetDependentNodes(nodes[0], &to, &count) != cudaSuccess;
    failures += from != nodes[0] || to != nodes[1];
    failures += cudaGraphRemoveDependencies(graph, &nodes[0], &nodes[1], 1) != cudaSuccess;
    failures += cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0) != cudaSuccess;
    return failures;
}
