#pragma once
#include <dlfcn.h>
#include <stddef.h>
#include <zlib.h>

/// inflateInit2 is a macro, which Swift does not import. 15 is the largest window, and 16 more means gzip's frame.
static inline int dlsync_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

// libzstd is asked for only when a document is compressed by it. libcurl has it loaded already wherever it knows that
// coding; no header is needed, since this part of its interface has not changed since version 1.0
// (https://facebook.github.io/zstd/zstd_manual.html).
typedef struct {
    const void *bytes;
    size_t size;
    size_t position;
} dlsync_zstd_input;

typedef struct {
    void *bytes;
    size_t size;
    size_t position;
} dlsync_zstd_output;

typedef struct {
    void *(*create)(void);
    size_t (*release)(void *stream);
    size_t (*unpack)(void *stream, dlsync_zstd_output *output, dlsync_zstd_input *input);
    unsigned (*is_error)(size_t code);
} dlsync_zstd_library;

/// Finds the library; 0 where there is none.
static inline int dlsync_zstd_find(dlsync_zstd_library *library) {
    void *handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return 0;
    library->create = (void *(*)(void))dlsym(handle, "ZSTD_createDStream");
    library->release = (size_t(*)(void *))dlsym(handle, "ZSTD_freeDStream");
    library->unpack =
        (size_t(*)(void *, dlsync_zstd_output *, dlsync_zstd_input *))dlsym(handle, "ZSTD_decompressStream");
    library->is_error = (unsigned (*)(size_t))dlsym(handle, "ZSTD_isError");
    return library->create && library->release && library->unpack && library->is_error;
}
