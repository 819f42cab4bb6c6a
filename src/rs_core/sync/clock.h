/* The clock that never goes back, in nanoseconds; never 0.

   This calls the system and not std::chrono, which is a function of the C++ library: the core loads no C++ library. */
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
#endif
