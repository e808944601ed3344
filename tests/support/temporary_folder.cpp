#include "tests/support/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

#include "leat/datasets/errors.h"

namespace leat::test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "leat-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw_errno("mkdtemp " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a destructor does not throw; what stays behind lies among temporary files
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write(const std::filesystem::path& name,
                                             std::string_view content) const {
  const std::filesystem::path full = path_ / name;
  std::filesystem::create_directories(full.parent_path());
  std::ofstream file(full, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw Error("cannot write " + full.string());
  return full;
}

}  // namespace leat::test
