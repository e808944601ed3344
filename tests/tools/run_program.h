// The programs, as a shell starts them.
#pragma once

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tools/synthetic/synthetic_folder.h"

namespace leat::test {

using namespace leat::tools;

inline const std::string kTrain = LEAT_TRAIN;
inline const std::string kSweep = LEAT_SWEEP;
inline const std::string kConvert = LEAT_CONVERT;
inline const std::string kRun = LEAT_RUN;

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline Outcome run(const std::string& command) {
  const TemporaryFolder folder;
  const std::string out = folder / "out", err = folder / "err";
  const int status = std::system(("timeout 100 " + command + " >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
}

inline long lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

// 80 images to train on and 20 held back, made once for all cases of this program.
inline const std::string& images() {
  static const TemporaryFolder folder;
  static const std::string path = folder / "images";
  SyntheticFolderOptions options;
  options.images = 100;
  write_synthetic_image_folder(path, options);
  return path;
}

// A short run that writes its figures to `json_file`.
inline std::string training(const std::filesystem::path& json_file, int epochs = 2) {
  return kTrain + " --data " + images() + " --epochs " + std::to_string(epochs) +
         " --batch-size 16 --hidden 32 --image-size 16 --num-workers 1 --json " + json_file.string();
}

}  // namespace leat::test
