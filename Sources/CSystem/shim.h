#pragma once
// Linux calls that the Glibc module does not show. _GNU_SOURCE must not be defined here: it changes types in headers
// that the Glibc module has too, and the compiler refuses one name with two definitions. So what needs it is declared
// by hand.
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

int fallocate(int fd, int mode, off_t offset, off_t length);
int syncfs(int fd);
ssize_t copy_file_range(int in_fd, off_t *in_offset, int out_fd, off_t *out_offset, size_t length, unsigned flags);

/// fcntl and ioctl are variadic, which Swift cannot call.
static inline int dlsync_clone_file(int destination, int source) { return ioctl(destination, FICLONE, source); }
static inline int dlsync_terminal_columns(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Macros that Swift does not import, or that want _GNU_SOURCE: "leave this time as it is" (utimensat(2)), and "only a
/// place to walk from" (open(2)).
static inline long dlsync_utime_omit(void) { return UTIME_OMIT; }
static inline int dlsync_open_path(void) { return __O_PATH; }
