// leat-convert as a user starts it.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

struct ConvertOutcome {
  int code = -1;
  std::string out;
  std::string err;
};

// `before` stands before the command, in bash: "ulimit -f 700; ", or "NAME=value ".
inline ConvertOutcome run_convert(const std::string& arguments, const std::string& before = "",
                                  const std::string& program = LEAT_CONVERT) {
  const TemporaryFolder folder;
  const std::string out = folder / "out", err = folder / "err";
  const std::string command = before + "timeout 100 " + program + " " + arguments + " >" + out + " 2>" + err;
  const int status = std::system(("/bin/bash -c '" + command + "' 2>/dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
}

}  // namespace leat::test
