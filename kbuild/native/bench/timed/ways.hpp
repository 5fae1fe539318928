// What a backend gives to the program that measures launches.
#pragma once

struct Way {
    const char* name;
    void (*launch)();
    bool launches;
};

// The ways to launch, up to one without a name. All ratios are relative to the first one.
extern const Way ways[];

// Creates the context and the memory for launches, but does not load any kernel.
void prepare();

// Does what a way needs before its first launch.
void prepare_way(const Way& way);

void synchronize();

// Ends the program with a message if something failed.
void require_success(const char* what);

// Prints a line with the device and the versions.
void describe_device();

// Measures the cost of the loop, the call, and the clock, which every figure includes.
void do_nothing();
