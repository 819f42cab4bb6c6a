/* The distance at which the writes of two threads are in different cache lines. */
#ifndef RS_CORE_CACHE_LINE_H
#define RS_CORE_CACHE_LINE_H
#include <cstddef>

#if defined(__APPLE__) && defined(__aarch64__)
static constexpr std::size_t RS_CACHE_LINE_BYTES = 128;
#else
static constexpr std::size_t RS_CACHE_LINE_BYTES = 64;
#endif
#endif
