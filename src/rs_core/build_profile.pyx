"""How the compiled core was built: the build profile and the compilers."""

cdef extern from *:
    """
    #ifndef RS_BUILD_PROFILE
    #define RS_BUILD_PROFILE unknown
    #endif
    #define RS_TEXT_OF(token) #token
    #define RS_TEXT(token) RS_TEXT_OF(token)
    #if defined(__clang__)
    #define RS_COMPILER "Clang " __clang_version__
    #elif defined(__GNUC__)
    #define RS_COMPILER "GCC " __VERSION__
    #elif defined(_MSC_VER)
    #define RS_COMPILER "MSVC " RS_TEXT(_MSC_VER)
    #else
    #define RS_COMPILER "unknown"
    #endif
    static const char *const rs_build_profile = RS_TEXT(RS_BUILD_PROFILE);
    static const char *const rs_build_compiler = RS_COMPILER;
    """
    const char* rs_build_profile
    const char* rs_build_compiler
    unsigned long CYTHON_HEX_VERSION

__all__ = ["COMPILER", "CYTHON", "PROFILE"]

PROFILE = rs_build_profile.decode("ascii")
COMPILER = rs_build_compiler.decode("ascii", "replace").strip()
CYTHON = f"{CYTHON_HEX_VERSION >> 24}.{CYTHON_HEX_VERSION >> 16 & 0xFF}.{CYTHON_HEX_VERSION >> 8 & 0xFF}"
