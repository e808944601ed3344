#include "leat/loader/os/standard_output.h"

#include <stdio_ext.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <streambuf>
#include <typeinfo>

namespace leat::detail {

namespace {

// Passes everything to a C stream, as the default buffers of std::cout and the other standard streams do.
class CStreamBuffer final : public std::streambuf {
 public:
  explicit CStreamBuffer(std::FILE* file) : file_(file) {}

 protected:
  int overflow(int c) override {
    return c == traits_type::eof() ? traits_type::not_eof(c) : std::putc(c, file_);
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(count), file_));
  }
  int sync() override { return std::fflush(file_); }

 private:
  std::FILE* file_;
};

// After sync_with_stdio(false), a stream has a buffer of its own, which may hold text of the parent. That buffer is
// abandoned together with its text, since the only way to empty it is to write the text.
void replace_own_buffer(std::ostream& stream, std::FILE* file) {
  const auto* const buffer = dynamic_cast<std::filebuf*>(stream.rdbuf());
  if (buffer == nullptr || typeid(*buffer) == typeid(std::filebuf)) return;  // the program has set it
  stream.rdbuf(new CStreamBuffer(file));                                     // never deleted
}

}  // namespace

void flush_standard_output() {
  for (std::FILE* const file : {stdout, stderr}) {
    if (::ftrylockfile(file) != 0) continue;
    std::fflush(file);
    ::funlockfile(file);
  }
}

void own_standard_output() {
  ::__fpurge(stdout);
  ::__fpurge(stderr);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  replace_own_buffer(std::cout, stdout);
  replace_own_buffer(std::cerr, stderr);
  replace_own_buffer(std::clog, stderr);
}

void finish_standard_output() noexcept {
  std::fflush(stdout);
  std::fflush(stderr);
}

}  // namespace leat::detail
