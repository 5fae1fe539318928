/* Texture and surface objects. */

struct cudaResourceViewDesc; /* an unsupported type */

KBUILD_API(CreateTextureObject)(KBUILD_VENDOR(TextureObject_t) *__texture,
                                const struct cudaResourceDesc *__resource,
                                const struct cudaTextureDesc *__sampling,
                                const struct cudaResourceViewDesc *__view) {
    if (__view != NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                                    "the cpu backend does not support resource views"));
    KBUILD_CALL(kbuild_cpu_create_texture(__texture, __resource, __sampling));
}

KBUILD_API(DestroyTextureObject)(KBUILD_VENDOR(TextureObject_t) __texture) {
    KBUILD_CALL(kbuild_cpu_destroy_texture(__texture));
}

KBUILD_API(GetTextureObjectResourceDesc)(struct cudaResourceDesc *__resource,
                                         KBUILD_VENDOR(TextureObject_t) __texture) {
    KBUILD_CALL(kbuild_cpu_describe_texture(__resource, NULL, __texture));
}

KBUILD_API(GetTextureObjectTextureDesc)(struct cudaTextureDesc *__sampling,
                                        KBUILD_VENDOR(TextureObject_t) __texture) {
    KBUILD_CALL(kbuild_cpu_describe_texture(NULL, __sampling, __texture));
}

KBUILD_API(CreateSurfaceObject)(KBUILD_VENDOR(SurfaceObject_t) *__surface,
                                const struct cudaResourceDesc *__resource) {
    KBUILD_CALL(kbuild_cpu_create_surface(__surface, __resource));
}

KBUILD_API(DestroySurfaceObject)(KBUILD_VENDOR(SurfaceObject_t) __surface) {
    KBUILD_CALL(kbuild_cpu_destroy_surface(__surface));
}

KBUILD_API(GetSurfaceObjectResourceDesc)(struct cudaResourceDesc *__resource,
                                         KBUILD_VENDOR(SurfaceObject_t) __surface) {
    KBUILD_CALL(kbuild_cpu_describe_surface(__resource, __surface));
}
