#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
/* Never define _GNU_SOURCE here: it breaks `import Dispatch` beside this module. What it hides is declared
   below. */
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <unistd.h>
#include <fcntl.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <time.h>

extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

static inline int clinux_errno(void) { return errno; }

static inline int clinux_get_descriptor_limit(struct rlimit *limit) {
  return getrlimit(RLIMIT_NOFILE, limit);
}

static inline int clinux_set_descriptor_limit(const struct rlimit *limit) {
  return setrlimit(RLIMIT_NOFILE, limit);
}

static inline int clinux_prctl(int option, unsigned long argument) {
  return prctl(option, argument, 0, 0, 0);
}

static inline int clinux_set_reset_on_close(int fd) {
  struct linger linger = {1, 0};
  return setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}
#endif
