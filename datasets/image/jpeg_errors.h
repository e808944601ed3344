// libjpeg's error handling, for the .cpp files of the decoder and the encoder only (it shows libjpeg's
// types).
//
// libjpeg leaves on an error by longjmp, which must not cross a C++ object with a destructor. So every call
// of libjpeg stands in a small body of trivial locals that run_guarded() calls; errors are thrown after it
// has returned.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdio>

// After <cstdio>: libjpeg's header uses FILE.
#include <jpeglib.h>

// After jpeglib.h: the JERR_ codes.
#include <jerror.h>

namespace leat::detail {

struct JpegErrors {
  jpeg_error_mgr manager;  // the first member: libjpeg hands out its address
  jmp_buf jump;
  bool warnings_are_errors;
  char message[JMSG_LENGTH_MAX];  // of the error that ended the last body
};

// Sets up the callbacks; returns what goes into the `err` of libjpeg's struct.
jpeg_error_mgr* install(JpegErrors& errors, bool warnings_are_errors) noexcept;

// Leaves the running body with a message of our own. For callbacks that libjpeg calls.
[[noreturn]] void leave(JpegErrors& errors, const char* message) noexcept;

// Runs `body`; false if it ended in an error, whose text is errors.message. Not inlined: what the body
// changes lives in the caller's frame, in memory, and is not affected by the jump.
template <class Body>
[[gnu::noinline]] bool run_guarded(JpegErrors& errors, const Body& body) {
  if (setjmp(errors.jump) != 0) return false;
  body();
  return true;
}

}  // namespace leat::detail
