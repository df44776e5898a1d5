#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
#include <sys/socket.h>
#include <errno.h>
static inline int clinux_errno(void) { return errno; }
#endif
