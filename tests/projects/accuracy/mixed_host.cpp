void scale_all_on_device(float* data, const int* size);

int main(int count, char**) {
    if (count > 9) scale_all_on_device(nullptr, nullptr);
}
