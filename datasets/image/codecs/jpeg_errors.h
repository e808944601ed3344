// libjpeg's error handling, for the .cpp files of the decoder and the encoder only (it shows libjpeg's
// types).
//
// libjpeg leaves on an error by longjmp: its calls stand in the bodies of run_guarded().
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdio>

// After <cstdio>: libjpeg's header uses FILE.
#include <jpeglib.h>

// After jpeglib.h: the JERR_ codes.
#include <jerror.h>

#include "leat/datasets/decode_warnings.h"
#include "leat/datasets/image/codecs/guarded_call.h"

namespace leat::detail {

struct JpegErrors {
  jpeg_error_mgr manager;  // the first member: libjpeg hands out its address
  jmp_buf jump;
  bool
      allow_missing_data;  // what libjpeg calls a warning ends the body where pixels are missing, unless this is set
  DecodeWarnings warnings;        // of the current image
  bool reads_header;              // there was no coded data yet
  char message[JMSG_LENGTH_MAX];  // of the error that ended the last body
};

// Sets up the callbacks and forgets all warnings; returns what goes into the `err` of libjpeg's struct.
jpeg_error_mgr* install(JpegErrors& errors, bool allow_missing_data) noexcept;

// Leaves the running body with a message of our own. For callbacks that libjpeg calls.
[[noreturn]] void leave(JpegErrors& errors, const char* message) noexcept;

}  // namespace leat::detail
