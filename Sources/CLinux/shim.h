#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
/* Never define _GNU_SOURCE here: it breaks `import Dispatch` beside this module. What it hides is declared
   below. */
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
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

/* Plain, where the kernel's own struct is packed. */
struct clinux_ready {
  unsigned long long token;
  unsigned int events;
};

static inline int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int clinux_epoll_control(int epoll, int operation, int fd, unsigned int events,
                                       unsigned long long token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return epoll_ctl(epoll, operation, fd, &event);
}

/* Waits up to so many milliseconds. At most 64 at once. */
static inline int clinux_epoll_ready(int epoll, struct clinux_ready *ready, int capacity, int milliseconds) {
  struct epoll_event events[64];
  int count = epoll_wait(epoll, events, capacity < 64 ? capacity : 64, milliseconds);
  for (int i = 0; i < count; i++) {
    ready[i].token = events[i].data.u64;
    ready[i].events = events[i].events;
  }
  return count;
}

static inline int clinux_set_reset_on_close(int fd) {
  struct linger linger = {1, 0};
  return setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}
#endif
