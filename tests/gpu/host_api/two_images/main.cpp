// Prints which of two device variables with one host variable a copy reaches.
#include <cstdio>

int copy_in_first(int value);
int copy_in_second(int value);
int read_in_first();
int read_in_second();

int main() {
    std::printf("%d, %d\n", read_in_first(), read_in_second());
    std::printf("%d: ", copy_in_first(40));
    std::printf("%d, %d\n", read_in_first(), read_in_second());
    std::printf("%d: ", copy_in_second(50));
    std::printf("%d, %d\n", read_in_first(), read_in_second());
    return 0;
}
