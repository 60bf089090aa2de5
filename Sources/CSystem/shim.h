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
#include <sys/vfs.h>
#include <sys/syscall.h>
#include <unistd.h>

int fallocate(int fd, int mode, off_t offset, off_t length);
int syncfs(int fd);
int sync_file_range(int fd, off_t offset, off_t count, unsigned flags);
ssize_t copy_file_range(int in_fd, off_t *in_offset, int out_fd, off_t *out_offset, size_t length, unsigned flags);

/// The flag is 1 in <linux/fs.h>, and the wrapper is younger than some C libraries.
static inline int dlsync_rename_noreplace(int from, const char *name, int to, const char *new_name) {
    return (int)syscall(SYS_renameat2, from, name, to, new_name, RENAME_NOREPLACE);
}

/// Whether a file lies in memory (tmpfs): there room that is taken ahead is filled with zeros at once, which costs as much as
/// writing it. statfs(2) names the numbers of file systems.
static inline int dlsync_is_in_memory(int fd) {
    struct statfs facts;
    return fstatfs(fd, &facts) == 0 && facts.f_type == 0x01021994;
}

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

// What the test support needs: pseudo-terminals, waiting for a peer to hang up, and the unsent rest of a socket.
#include <sys/eventfd.h>
static inline int dlsync_set_terminal_size(int fd, unsigned short columns, unsigned short rows) {
    struct winsize size = {.ws_row = rows, .ws_col = columns};
    return ioctl(fd, TIOCSWINSZ, &size);
}
static inline int dlsync_unsent_bytes(int socket) {
    int count = 0;
    return ioctl(socket, TIOCOUTQ, &count) == 0 ? count : -1;
}
static inline int dlsync_set_nonblocking(int fd) { return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }
static inline int dlsync_set_close_on_exec(int fd) { return fcntl(fd, F_SETFD, FD_CLOEXEC); }

// posix_spawn's extensions of GNU, and the environment, which Swift calls shared mutable state.
#include <spawn.h>
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern char **environ;
static inline char **dlsync_environment(void) { return environ; }

// What else the Glibc module leaves out, because its headers want a feature macro for it.
int posix_openpt(int flags);
int grantpt(int fd);
int unlockpt(int fd);
int ptsname_r(int fd, char *name, size_t size);
void *memmem(const void *bytes, size_t count, const void *sought, size_t sought_count);

/// Waits for a child's end without reaping it, so that its number and its group stay its own. Returns its exit status, or
/// its signal as a negative number; -1000 for an error. (The C library's waitid leaves the fifth argument out.)
#include <signal.h>
#include <sys/wait.h>
static inline int dlsync_await_end(pid_t child, struct rusage *usage) {
    siginfo_t information;
    while (syscall(SYS_waitid, P_PID, child, &information, WEXITED | WNOWAIT, usage) == -1)
        if (errno != EINTR) return -1000;
    return information.si_code == CLD_EXITED ? information.si_status : -information.si_status;
}
