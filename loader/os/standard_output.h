// Handles text that the program has printed but not yet written when it forks.
#pragma once

namespace leat::detail {

/// Flushes stdout and stderr, so that their text comes before what forked processes print. Skips a stream that
/// another thread has locked, since the thread may keep it locked for any time.
void flush_standard_output();

/// Discards the text that the parent had not written yet; the parent will write it. Call it in a forked process
/// before that process prints anything. From then on, stdout is written line by line, so that lines of several
/// processes do not mix and a crash loses no line. Streams that the program opened itself are not covered.
void own_standard_output();

/// Flushes stdout and stderr before a forked process ends by _exit(), which does not flush them.
void finish_standard_output() noexcept;

}  // namespace leat::detail
