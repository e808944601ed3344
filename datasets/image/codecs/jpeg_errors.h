// Error handling of libjpeg. Only for the .cpp files of the decoder and the encoder, since it exposes libjpeg's
// types.
//
// libjpeg reports errors by longjmp, so it is called only in bodies of run_guarded().
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdio>

// Must follow <cstdio>: libjpeg's header uses FILE.
#include <jpeglib.h>

// Must follow jpeglib.h. Defines the JERR_ codes.
#include <jerror.h>

#include "leat/datasets/decode_warnings.h"
#include "leat/datasets/image/codecs/guarded_call.h"

namespace leat::detail {

struct JpegErrors {
  jpeg_error_mgr manager;  // must be the first member: libjpeg passes its address
  jmp_buf jump;
  bool allow_missing_data;        // if set, missing pixels are only a warning; otherwise they end the body
  DecodeWarnings warnings;        // of the current image
  bool reads_header;              // no coded data was read yet
  char message[JMSG_LENGTH_MAX];  // error that ended the last body
};

// Installs the callbacks and clears all warnings. Returns the value for the member `err` of libjpeg's structs.
jpeg_error_mgr* install(JpegErrors& errors, bool allow_missing_data) noexcept;

// Ends the running body with a message of our own. For callbacks that libjpeg calls.
[[noreturn]] void leave(JpegErrors& errors, const char* message) noexcept;

}  // namespace leat::detail
