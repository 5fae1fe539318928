void run();
void run_second();

int main() {
    run();
    run_second();
    return 0;
}
