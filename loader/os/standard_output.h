// What the program has printed but not yet written, where it forks.
#pragma once

namespace leat::detail {

/// Writes out what stdout and stderr hold, so that it stands before what forked processes print. A stream that another
/// thread holds locked is left alone, since nobody knows for how long.
void flush_standard_output();

/// In a forked process, before it prints anything: forgets what the parent had not written, which is the parent's to
/// write. From here on stdout writes line by line, so that lines of several processes do not mix and a crash loses
/// none. Streams that the program opened itself are not covered.
void own_standard_output();

/// Before a forked process leaves by _exit(), which writes nothing out.
void finish_standard_output() noexcept;

}  // namespace leat::detail
