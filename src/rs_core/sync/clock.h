/* The clock that never goes back, in nanoseconds, never 0; and that of the wall, in microseconds since 1970.

   They call the system and not std::chrono, which is a function of the C++ library: the core loads no C++ library. */
#ifndef RS_CORE_CLOCK_H
#define RS_CORE_CLOCK_H
#include <stdint.h>

#ifdef _WIN32
# ifndef WIN32_LEAN_AND_MEAN
#  define WIN32_LEAN_AND_MEAN
# endif
# ifndef NOMINMAX
#  define NOMINMAX
# endif
# include <windows.h>
#else
# include <time.h>
#endif

static inline int64_t rs_clock_nanoseconds(void) {
    const int64_t billion = 1000000000;
#ifdef _WIN32
    LARGE_INTEGER now, a_second;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&a_second);
    const int64_t seconds = now.QuadPart / a_second.QuadPart, rest = now.QuadPart % a_second.QuadPart;
    return (seconds * billion + rest * billion / a_second.QuadPart) | 1;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((int64_t)now.tv_sec * billion + now.tv_nsec) | 1;
#endif
}

static inline int64_t rs_system_microseconds(void) {
#ifdef _WIN32
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);  /* tenths of a microsecond since 1601 */
    return (((int64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) - 116444736000000000) / 10;
#else
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
#endif
}
#endif
