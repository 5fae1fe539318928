/* The CPU backend's device runtime, libkbuild_cpu, with one registry per process.
 *
 * Functions whose names start with `kbuild_cpu_queue` or `kbuild_cpu_call`, kbuild_cpu_launch_limited,
 * and kbuild_cpu_launch_graph only queue their work.  When another function returns, its work is
 * done.  Every function is thread-safe and returns a kbuild_cpu_error.  The numbers are those of the corresponding CUDA
 * errors, so that logs of both backends look the same. */
#ifndef KBUILD_CPU_RUNTIME_H
#define KBUILD_CPU_RUNTIME_H

#include <kbuild/detail/cpu_errors.h>
#include <kbuild/module.h>

#ifdef __cplusplus
extern "C" {
#endif

int kbuild_cpu_register(const struct kbuild_module *__module);
void kbuild_cpu_unregister(const struct kbuild_module *__module);

/* Copies and registers images that belong to no artifact: a container, or one image that was built
 * for this machine.  The descriptor lists their kernels.  It is valid until
 * kbuild_cpu_unload_images, which waits for launches. */
int kbuild_cpu_load_images(const struct kbuild_module **__module, const void *__images,
                           size_t __bytes);
void kbuild_cpu_unload_images(const struct kbuild_module *__module);

int kbuild_cpu_resolve(const void *__handle);
int kbuild_cpu_launch(const void *__handle, const struct kbuild_launch_config *__config,
                      void *const *__args);
/* Queues a launch that kbuild_cpu_launch would wait for. */
int kbuild_cpu_queue_launch(const void *__handle, const struct kbuild_launch_config *__config,
                            void *const *__args);
/* Queues a launch as `<<<>>>` does: more than 48 KiB of dynamic shared memory is an error, unless
 * kbuild_cpu_set_function_attribute raised the kernel's limit. */
int kbuild_cpu_launch_limited(const void *__handle, const struct kbuild_launch_config *__config,
                              void *const *__args);

/* A launch through a debug stub.  The caller pushes the configuration and calls the stub with the
 * kernel's arguments.  The stub can read the configuration, and uses it for the launch.  Then the
 * caller takes the result.  Each thread has one slot. */
int kbuild_cpu_push_configuration(const struct kbuild_launch_config *__config);
int kbuild_cpu_read_configuration(struct kbuild_launch_config *__config);
int kbuild_cpu_launch_from_stub(const void *__handle, void *const *__args);
int kbuild_cpu_take_stub_result(void);

/* Attributes of kernels, with the vendor's numbers. */
struct kbuild_cpu_function {
    const char *symbol;
    size_t static_shared_bytes;
    size_t dynamic_shared_limit;
    int shared_carveout;
    int threads_per_block;
    int registers;
    int version; /* ten times the compute capability */
    int most_cluster_blocks;
};
int kbuild_cpu_describe_function(struct kbuild_cpu_function *__function, const void *__handle);
/* Finds the place of a parameter in the arguments.  The address for the size can be null. */
int kbuild_cpu_describe_parameter(size_t *__offset, size_t *__bytes, const void *__handle,
                                  size_t __index);
int kbuild_cpu_set_function_attribute(const void *__handle, int __number, int __value);
/* Sets the number of blocks that a core runs at the same time. */
int kbuild_cpu_occupancy(int *__blocks, const void *__handle, int __threads, size_t __shared_bytes,
                         unsigned __flags);
int kbuild_cpu_available_shared_bytes(size_t *__bytes, const void *__handle, int __blocks,
                                      int __threads);

/* Device variables.  `__symbol` is the address of the host variable with the same name. */
int kbuild_cpu_get_symbol_address(void **__pointer, const void *__symbol);
int kbuild_cpu_get_symbol_size(size_t *__bytes, const void *__symbol);
int kbuild_cpu_copy_to_symbol(const void *__symbol, const void *__source, size_t __bytes,
                              size_t __offset);
int kbuild_cpu_copy_from_symbol(void *__destination, const void *__symbol, size_t __bytes,
                                size_t __offset);
int kbuild_cpu_queue_copy_to_symbol(const void *__symbol, const void *__source, size_t __bytes,
                                    size_t __offset, void *__stream);
int kbuild_cpu_queue_copy_from_symbol(void *__destination, const void *__symbol, size_t __bytes,
                                      size_t __offset, void *__stream);
/* Sets `data` in the shadows of the module's managed variables.  Skips symbols whose `initialize`
 * is not `__initialize`, because they belong to the program. */
int kbuild_cpu_initialize_managed(const struct kbuild_module *__module, void (*__initialize)(void));

int kbuild_cpu_allocate(void **__pointer, size_t __bytes);
int kbuild_cpu_release(void *__pointer);
/* Finds the allocation or registered memory that contains the address.  Sets a null base if there
 * is none. */
int kbuild_cpu_find_allocation(const void *__pointer, void **__base, size_t *__bytes);
int kbuild_cpu_copy(void *__destination, const void *__source, size_t __bytes,
                    enum kbuild_copy_direction __direction);

enum kbuild_cpu_memory_kind {
    KBUILD_CPU_MEMORY_UNKNOWN = 0,
    KBUILD_CPU_MEMORY_DEVICE = 1,
    KBUILD_CPU_MEMORY_MANAGED = 2,
    KBUILD_CPU_MEMORY_HOST = 3,      /* page-locked, in the vendor's words */
    KBUILD_CPU_MEMORY_REGISTERED = 4 /* host memory that the program allocated by other means */
};

/* `__flags` are the vendor's, and are only kept. */
int kbuild_cpu_allocate_kind(void **__pointer, size_t __bytes, enum kbuild_cpu_memory_kind __kind,
                             unsigned __flags);
int kbuild_cpu_allocate_pitched(void **__pointer, size_t *__pitch, size_t __width, size_t __rows);
int kbuild_cpu_release_host(void *__pointer);
int kbuild_cpu_register_host(void *__pointer, size_t __bytes, unsigned __flags);
int kbuild_cpu_unregister_host(void *__pointer);

struct kbuild_cpu_pointer {
    enum kbuild_cpu_memory_kind kind;
    unsigned flags;
};
int kbuild_cpu_describe_pointer(struct kbuild_cpu_pointer *__description, const void *__pointer);
/* Like kbuild_cpu_describe_pointer, but fails if the address is not in page-locked memory. */
int kbuild_cpu_describe_host(struct kbuild_cpu_pointer *__description, const void *__pointer);

/* The vendor's directions of copies. */
enum kbuild_cpu_copy_kind {
    KBUILD_CPU_COPY_HOST_TO_HOST = 0,
    KBUILD_CPU_COPY_HOST_TO_DEVICE = 1,
    KBUILD_CPU_COPY_DEVICE_TO_HOST = 2,
    KBUILD_CPU_COPY_DEVICE_TO_DEVICE = 3,
    KBUILD_CPU_COPY_DEFAULT = 4
};

/* Rows that are `pitch` bytes apart, in slices of `rows` rows. */
struct kbuild_cpu_area {
    void *start;
    size_t pitch;
    size_t rows;
};

/* A copy of `depth` slices of `height` rows of `width` bytes. */
struct kbuild_cpu_area_copy {
    struct kbuild_cpu_area to;
    struct kbuild_cpu_area from;
    size_t width, height, depth;
    unsigned kind;
};
int kbuild_cpu_copy_area(const struct kbuild_cpu_area_copy *__copy, void *__stream);

struct kbuild_cpu_area_fill {
    struct kbuild_cpu_area to;
    size_t width, height, depth;
    int byte;
};
int kbuild_cpu_fill_area(const struct kbuild_cpu_area_fill *__fill, void *__stream);
/* These can return before the work is done, unless the host memory is neither page-locked nor
 * small.  An element has 1, 2, or 4 bytes. */
int kbuild_cpu_queue_copy(const struct kbuild_cpu_area_copy *__copy, void *__stream);
int kbuild_cpu_queue_fill(const struct kbuild_cpu_area_fill *__fill, unsigned __element_bytes,
                          void *__stream);

/* Arrays, which textures and surfaces read.  The numbers of kinds and flags are the vendor's. */
struct kbuild_cpu_array {
    int channel_bits[4]; /* of each channel, or 0 */
    unsigned kind;
    size_t width, height, depth; /* in elements; 0 for a dimension that does not exist */
    unsigned flags;
    unsigned levels; /* of a mipmapped array; 1 for other arrays */
};
int kbuild_cpu_create_array(void **__array, const struct kbuild_cpu_array *__description);
int kbuild_cpu_destroy_array(void *__array);
int kbuild_cpu_describe_array(struct kbuild_cpu_array *__description, const void *__array);
int kbuild_cpu_create_mipmapped_array(void **__array, const struct kbuild_cpu_array *__description);
int kbuild_cpu_destroy_mipmapped_array(void *__array);
int kbuild_cpu_get_array_level(void **__level, const void *__mipmapped_array,
                               unsigned __level_number);
/* Finds the part of an array for a copy of `__copy->depth` slices of `__copy->height` rows of
 * `__copy->width` bytes, which starts at a byte, row, and slice of the array. */
int kbuild_cpu_find_in_array(struct kbuild_cpu_area *__area, const void *__array, size_t __byte,
                             size_t __row, size_t __slice,
                             const struct kbuild_cpu_area_copy *__copy);

/* Textures and surfaces.  The arguments are the vendor's structures. */
int kbuild_cpu_create_texture(unsigned long long *__texture, const void *__resource,
                              const void *__sampling);
int kbuild_cpu_destroy_texture(unsigned long long __texture);
/* Either address can be null. */
int kbuild_cpu_describe_texture(void *__resource, void *__sampling, unsigned long long __texture);
int kbuild_cpu_create_surface(unsigned long long *__surface, const void *__resource);
int kbuild_cpu_destroy_surface(unsigned long long __surface);
int kbuild_cpu_describe_surface(void *__resource, unsigned long long __surface);

/* Either address can be null. */
int kbuild_cpu_memory_info(size_t *__free, size_t *__total);

/* Streams and events.  The handles 0 and 1 are the legacy default stream, and 2 is the default stream
 * of the calling thread. */
struct kbuild_cpu_stream {
    unsigned flags;
    int priority;
    unsigned long long id;
};
int kbuild_cpu_create_stream(void **__stream, unsigned __flags, int __priority);
int kbuild_cpu_destroy_stream(void *__stream);
int kbuild_cpu_synchronize_stream(void *__stream);
/* Returns KBUILD_CPU_NOT_READY while the stream has work. */
int kbuild_cpu_query_stream(void *__stream);
/* Host functions and callbacks cannot use the device.  A callback receives an error code, and runs
 * even after a kernel has failed. */
int kbuild_cpu_call_host(void *__stream, void (*__function)(void *), void *__data);
int kbuild_cpu_call_back(void *__stream, void (*__callback)(void *, int, void *), void *__data);
int kbuild_cpu_describe_stream(struct kbuild_cpu_stream *__description, void *__stream);
int kbuild_cpu_create_event(void **__event, unsigned __flags);
int kbuild_cpu_destroy_event(void *__event);
int kbuild_cpu_record_event(void *__event, void *__stream);
int kbuild_cpu_synchronize_event(void *__event);
int kbuild_cpu_query_event(void *__event);
int kbuild_cpu_wait_for_event(void *__stream, void *__event);
/* While the stream captures, these add nodes that record or wait at each launch of the graph. */
int kbuild_cpu_record_external_event(void *__event, void *__stream);
int kbuild_cpu_wait_for_external_event(void *__stream, void *__event);
int kbuild_cpu_elapsed_time(float *__milliseconds, void *__start, void *__end);

/* Memory pools.  The numbers of attributes are the vendor's. */
int kbuild_cpu_create_pool(void **__pool);
int kbuild_cpu_destroy_pool(void *__pool);
int kbuild_cpu_default_pool(void **__pool);
int kbuild_cpu_current_pool(void **__pool);
int kbuild_cpu_set_current_pool(void *__pool);
int kbuild_cpu_check_pool(void *__pool);
int kbuild_cpu_pool_attribute(unsigned long long *__value, void *__pool, int __number);
int kbuild_cpu_set_pool_attribute(void *__pool, int __number, unsigned long long __value);
int kbuild_cpu_trim_pool(void *__pool, size_t __kept_bytes);
/* The memory can be used at once.  A null pool is the current one.  If the stream captures, the graph
 * owns the memory. */
int kbuild_cpu_queue_allocation(void **__pointer, size_t __bytes, void *__pool, void *__stream);
int kbuild_cpu_queue_release(void *__pointer, void *__stream);
int kbuild_cpu_graph_memory_attribute(unsigned long long *__value, int __number);
int kbuild_cpu_reset_graph_memory_attribute(int __number);

/* Graphs.  Types, modes, and results have the vendor's numbers.  Lists of nodes have a capacity on
 * entry and a number on return.  A null list only returns the number. */
enum kbuild_cpu_node_type {
    KBUILD_CPU_NODE_KERNEL = 0,
    KBUILD_CPU_NODE_COPY = 1,
    KBUILD_CPU_NODE_FILL = 2,
    KBUILD_CPU_NODE_HOST = 3,
    KBUILD_CPU_NODE_GRAPH = 4,
    KBUILD_CPU_NODE_EMPTY = 5,
    KBUILD_CPU_NODE_WAIT = 6,
    KBUILD_CPU_NODE_RECORD = 7,
    KBUILD_CPU_NODE_ALLOCATE = 10,
    KBUILD_CPU_NODE_RELEASE = 11,
    KBUILD_CPU_NODE_CONDITIONAL = 13
};

/* A node.  Which members have a meaning depends on the type. */
struct kbuild_cpu_node {
    int node_type;
    const void *handle;
    struct kbuild_launch_config configuration;
    void *const *argument_list; /* valid until the node changes */
    struct kbuild_cpu_area_copy copy;
    struct kbuild_cpu_area_fill fill;
    unsigned element_bytes; /* of the fill */
    void (*function)(void *);
    void *data;
    void *graph;
    void *event;
    void *memory; /* of the memory; set by the call that adds a node that allocates */
    size_t memory_size;
};
int kbuild_cpu_create_graph(void **__graph);
int kbuild_cpu_destroy_graph(void *__graph);
int kbuild_cpu_clone_graph(void **__clone, void *__graph);
int kbuild_cpu_add_node(void **__node, void *__graph, void *const *__dependencies, size_t __count,
                        struct kbuild_cpu_node *__description);
int kbuild_cpu_describe_node(struct kbuild_cpu_node *__description, void *__node);
int kbuild_cpu_change_node(void *__node, const struct kbuild_cpu_node *__description);
int kbuild_cpu_destroy_node(void *__node);
int kbuild_cpu_find_in_clone(void **__node, void *__original, void *__clone);
int kbuild_cpu_graph_nodes(void **__nodes, size_t *__count, void *__graph, int __only_roots);
int kbuild_cpu_graph_edges(void **__from, void **__to, size_t *__count, void *__graph);
int kbuild_cpu_node_neighbors(void **__nodes, size_t *__count, void *__node, int __are_dependents);
int kbuild_cpu_change_edges(void *__graph, void *const *__from, void *const *__to, size_t __count,
                            int __adds);
int kbuild_cpu_print_graph(void *__graph, const char *__path);

/* A condition is the value that decides what a conditional node runs.  Its handle is the address of
 * the value, which kernels write.  If it is assigned, each launch of the graph starts with the value. */
int kbuild_cpu_create_condition(unsigned long long *__handle, void *__graph, unsigned __value,
                                int __is_assigned);
/* Adds a conditional node.  The kind is the vendor's number.  Sets a list of `__graph_count` graphs,
 * which are the node's own and exist as long as it. */
int kbuild_cpu_add_conditional_node(void **__node, void *__graph, void *const *__dependencies,
                                    size_t __count, unsigned long long __condition, int __kind,
                                    unsigned __graph_count, void *const **__graphs);

/* Objects of the program, with counted references of the program and of graphs.  After the last one,
 * the runtime calls `__destroy`, which cannot use the device.  A launch that runs has references, too. */
int kbuild_cpu_create_user_object(void **__object, void (*__destroy)(void *), void *__data,
                                  unsigned __count);
int kbuild_cpu_retain_user_object(void *__object, unsigned __count);
int kbuild_cpu_release_user_object(void *__object, unsigned __count);
/* `__moves` moves references of the program to the graph. */
int kbuild_cpu_retain_in_graph(void *__graph, void *__object, unsigned __count, int __moves);
int kbuild_cpu_release_in_graph(void *__graph, void *__object, unsigned __count);

int kbuild_cpu_instantiate_graph(void **__executable, void *__graph, unsigned long long __flags);
int kbuild_cpu_destroy_executable(void *__executable);
int kbuild_cpu_executable_flags(unsigned long long *__flags, void *__executable);
int kbuild_cpu_launch_graph(void *__executable, void *__stream);
/* `__node` is a node of the graph that was instantiated. */
int kbuild_cpu_change_executable_node(void *__executable, void *__node,
                                      const struct kbuild_cpu_node *__description);
int kbuild_cpu_enable_node(void *__executable, void *__node, int __is_enabled);
int kbuild_cpu_is_node_enabled(unsigned *__is_enabled, void *__executable, void *__node);
/* Sets the vendor's result, and the node of the graph that does not match. */
int kbuild_cpu_update_executable(void *__executable, void *__graph, int *__result, void **__node);

/* Captures. */
int kbuild_cpu_begin_capture(void *__stream, int __mode);
int kbuild_cpu_begin_capture_to(void *__stream, void *__graph, void *const *__dependencies,
                                size_t __count, int __mode);
int kbuild_cpu_end_capture(void *__stream, void **__graph);

struct kbuild_cpu_capture {
    int status; /* 0 if the stream does not capture, 1 if it does, 2 after an error */
    unsigned long long id;
    void *graph;
    void *const *dependencies; /* valid until the thread's next call */
    size_t dependency_count;
};
int kbuild_cpu_describe_capture(struct kbuild_cpu_capture *__capture, void *__stream);
int kbuild_cpu_change_capture(void *__stream, void *const *__dependencies, size_t __count,
                              int __adds);
int kbuild_cpu_exchange_capture_mode(int *__mode);

/* The device, and its properties. */
int kbuild_cpu_device_count(int *__count);
int kbuild_cpu_set_device(int __device);
/* Writes a cudaDeviceProp of at most `__bytes` bytes. */
int kbuild_cpu_device_properties(void *__properties, size_t __bytes, int __device);
int kbuild_cpu_device_attribute(int *__value, int __number, int __device);
int kbuild_cpu_set_device_flags(unsigned __flags);
int kbuild_cpu_device_flags(unsigned *__flags);
int kbuild_cpu_set_limit(int __limit, size_t __value);
int kbuild_cpu_limit(size_t *__value, int __limit);
/* Adds a number to those who use NVML in this process, of whom there are at least 0.  Returns how many
 * there were. */
int kbuild_cpu_count_management_users(int __change);
/* Releases all memory, streams, and events, and resets limits and attributes.  Does not repair a
 * device that a kernel broke: from then on, calls fail with KBUILD_CPU_DEVICE_UNAVAILABLE. */
int kbuild_cpu_reset_device(void);
int kbuild_cpu_synchronize(void);
/* Returns the address of the number of operations that streams have not finished.  Read it as an
 * atomic variable.  If it is 0, there is nothing to wait for. */
const unsigned *kbuild_cpu_unfinished_operations(void);

/* Checks of host code, which instrumented host texts call.  The first one
 * returns the range of addresses that matter, or no bytes.  `site` is the address after the call.  The last
 * two do what memmove and memset do. */
/* Says where the calling thread launches a kernel next. */
void kbuild_cpu_note_launch(const char *__file, unsigned __line);
void kbuild_cpu_start_checks(kbuild_uintptr *__start, size_t *__bytes);
void kbuild_cpu_check_host_access(const void *__address, size_t __bytes, int __writes,
                                  const void *__site);
void *kbuild_cpu_move_for_host(void *__to, const void *__from, size_t __bytes, const void *__site);
void *kbuild_cpu_fill_for_host(void *__to, int __value, size_t __bytes, const void *__site);

/* Reports memory that a function of a library cannot access, if the process is checked.  Returns whether it
 * has reported something; the library must not access the memory then. */
int kbuild_cpu_check_library_access(const char *__function, const char *__parameter,
                                    const void *__start, size_t __bytes, int __writes);

/* Errors.  Each thread has a last error, which remains until it is taken.  After a kernel has failed
 * an assertion or has trapped, every call that uses the device fails with the same error, until the
 * device is reset. */
int kbuild_cpu_fail(int __code, const char *__detail); /* sets it, and returns the code */
int kbuild_cpu_peek_error(void);
int kbuild_cpu_take_error(void);
const char *kbuild_cpu_error_name(int __code);
const char *kbuild_cpu_error_text(int __code);
/* Returns the detailed text of the thread's last failure if it has this code. */
const char *kbuild_cpu_error_message(int __code);

#ifdef __cplusplus
}
#endif
#endif
