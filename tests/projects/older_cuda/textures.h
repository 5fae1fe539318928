static texture<float> linear;
float read_in_other_source(float *floats);
