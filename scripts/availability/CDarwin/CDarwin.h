// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
//
// The declarations of Apple's C library that SoupKit and swift-log use. They serve only for type checking: nothing is linked,
// and the values of constants and the layouts of structures are irrelevant.

#pragma clang assume_nonnull begin

typedef unsigned long size_t;
typedef long ssize_t;
typedef long long off_t;
typedef long time_t;
typedef unsigned short mode_t;
typedef unsigned int socklen_t;
typedef unsigned char sa_family_t;

#define ENOENT 2
#define EINTR 4
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define EROFS 30
#define ENOTSUP 45
#define ECONNABORTED 53
#define ECONNRESET 54
#define ENOTTY 25
#define ENOSYS 78
#define EOPNOTSUPP 102
#define EPERM 1
#define EWOULDBLOCK 35
#define EAGAIN 35
#define ELOOP 62
#define EBADF 9

#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x0004
#define O_NOFOLLOW 0x0100
#define O_CREAT 0x0200
#define O_TRUNC 0x0400
#define O_EXCL 0x0800
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define S_IFMT ((mode_t)0170000)
#define S_IFDIR ((mode_t)0040000)
#define S_IFREG ((mode_t)0100000)
#define F_FULLFSYNC 51
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08

struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; int tv_usec; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year; };
struct stat {
    int st_dev;
    mode_t st_mode;
    unsigned short st_nlink;
    unsigned long long st_ino;
    unsigned int st_uid;
    off_t st_size;
    struct timespec st_mtimespec;
};

int open(const char *, int, mode_t);
int close(int);
ssize_t read(int, void *_Nullable, size_t);
ssize_t write(int, const void *_Nullable, size_t);
ssize_t pread(int, void *_Nullable, size_t, off_t);
int fstat(int, struct stat *);
int stat(const char *, struct stat *);
int lstat(const char *, struct stat *);
int flock(int, int);
int fsync(int);
int mkdir(const char *, mode_t);
int chmod(const char *, mode_t);
int fchmod(int, mode_t);
int rename(const char *, const char *);
int unlink(const char *);
int rmdir(const char *);
unsigned int geteuid(void);
char *strerror(int);
time_t time(time_t *_Nullable);
struct tm *_Nullable localtime(const time_t *);
size_t strftime(char *, size_t, const char *, const struct tm *);

typedef struct __sFILE { int file; } FILE;
void flockfile(FILE *);
void funlockfile(FILE *);
size_t fwrite(const void *_Nullable, size_t, size_t, FILE *);
int fflush(FILE *_Nullable);

typedef struct { long sig; } pthread_mutex_t;
typedef struct { long sig; } pthread_mutexattr_t;
typedef struct { long sig; } pthread_rwlock_t;
typedef struct { long sig; } pthread_rwlockattr_t;
#define PTHREAD_MUTEX_ERRORCHECK 1
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *_Nullable);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutexattr_init(pthread_mutexattr_t *);
int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
int pthread_mutexattr_destroy(pthread_mutexattr_t *);
int pthread_rwlock_init(pthread_rwlock_t *, const pthread_rwlockattr_t *_Nullable);
int pthread_rwlock_destroy(pthread_rwlock_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);

#define AF_INET 2
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_RCVTIMEO 0x1006
#define SO_NOSIGPIPE 0x1022
#define SO_LINGER 0x0080
#define SO_REUSEADDR 0x0004
#define SHUT_WR 1
#define SHUT_RDWR 2
#define IPPROTO_TCP 6
#define TCP_NODELAY 0x01
struct linger { int l_onoff; int l_linger; };
struct in_addr { unsigned int s_addr; };
struct sockaddr { unsigned char sa_len; sa_family_t sa_family; char sa_data[14]; };
struct sockaddr_in {
    unsigned char sin_len;
    sa_family_t sin_family;
    unsigned short sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
int socket(int, int, int);
int setsockopt(int, int, int, const void *_Nullable, socklen_t);
int connect(int, const struct sockaddr *, socklen_t);
int bind(int, const struct sockaddr *, socklen_t);
int listen(int, int);
int accept(int, struct sockaddr *_Nullable, socklen_t *_Nullable);
int getsockname(int, struct sockaddr *, socklen_t *);
ssize_t recv(int, void *_Nullable, size_t, int);
int shutdown(int, int);
ssize_t send(int, const void *_Nullable, size_t, int);

#pragma clang assume_nonnull end
