/* The same launch in C: the lower bound of a launch from Python. */
struct launch_config; /* CUlaunchConfig of cuda.h */
typedef int launch_function(const struct launch_config *config, void *function, void **arguments,
                            void **extra);

int launch_repeatedly(launch_function *launch, const struct launch_config *config, void *function,
                      void **arguments, int launches) {
    int status = 0;
    for (int i = 0; i < launches && status == 0; ++i)
        status = launch(config, function, arguments, 0);
    return status;
}
