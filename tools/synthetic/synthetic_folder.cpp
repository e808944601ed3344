#include "tools/synthetic/synthetic_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/new_file.h"
#include "leat/datasets/io/read_file.h"
#include "tools/synthetic/synthetic.h"

namespace leat::tools {

using namespace detail;

namespace {

namespace fs = std::filesystem;

constexpr const char* kMarker = "leat-synthetic.txt";
constexpr std::size_t kHeldBack = 5;  // every fifth image of a class is for testing

std::string marker_text(const SyntheticFolderOptions& options) {
  return fmt::format("leat synthetic images\nversion {}\nimages {}\nseed {}\n", kSyntheticVersion,
                     options.images, options.seed);
}

// Returns whether `root` holds these images. Returns false if it does not exist.
bool is_complete(const fs::path& root, const SyntheticFolderOptions& options) {
  if (!fs::exists(root)) return false;
  std::string text;
  if (fs::exists(root / kMarker)) {
    std::vector<std::byte> bytes;
    read_file(root / kMarker, 4096, bytes);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (text == marker_text(options)) return true;
  throw ArgumentError(
      fmt::format("{} exists, but does not hold {} generated images of seed {}: remove it, or name "
                  "another folder",
                  root.string(), options.images, options.seed));
}

// A new folder beside `root`. The destructor removes it, with everything that was not published.
class FolderInTheMaking {
 public:
  explicit FolderInTheMaking(const fs::path& root) : root_(root) {
    if (root.has_parent_path()) fs::create_directories(root.parent_path());
    std::string name = root.string() + ".XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw_errno("mkdtemp " + name);
    private_ = name;  // only for this user; the published folder has the usual permissions
    fs::create_directory(path());
  }
  ~FolderInTheMaking() {
    std::error_code ignored;
    fs::remove_all(private_, ignored);
  }
  FolderInTheMaking(const FolderInTheMaking&) = delete;
  FolderInTheMaking& operator=(const FolderInTheMaking&) = delete;

  fs::path path() const { return private_ / "images"; }

  // Returns false if another process was faster.
  bool publish() {
    std::error_code error;
    fs::rename(path(), root_, error);
    if (error == std::errc::directory_not_empty || error == std::errc::file_exists) return false;
    if (error) throw SystemError("rename to " + root_.string(), error.value());
    return true;
  }

 private:
  fs::path root_;
  fs::path private_;
};

// Hands the images out one after the other to the threads.
//
// Thread rules: work() may run in any number of threads. The other functions must be called in the thread that made
// the object, and error() after the threads are joined.
class ImageQueue {
 public:
  ImageQueue(const fs::path& folder, const SyntheticFolderOptions& options)
      : folder_(folder), options_(options) {}

  // Runs until all images are taken or one failed. `after_each` is called between two images.
  template <class Function>
  void work(const Function& after_each) noexcept;

  std::size_t done() const noexcept { return done_; }
  std::exception_ptr error() const noexcept { return error_; }

 private:
  void write(std::size_t index) const;

  // Constant after construction.
  const fs::path& folder_;
  const SyntheticFolderOptions& options_;

  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // written by the thread that sets failed_, read after the threads were joined
};

void ImageQueue::write(std::size_t index) const {
  const std::size_t classes = synthetic_class_names().size();
  const bool test = index / classes % kHeldBack == kHeldBack - 1;
  const fs::path folder = folder_ / (test ? "test" : "train") / synthetic_class_names()[index % classes];
  write_new_file(folder / fmt::format("{:06}.jpg", index), synthetic_jpeg(options_.seed, index));
}

template <class Function>
void ImageQueue::work(const Function& after_each) noexcept {
  try {
    for (std::size_t index = next_++; index < options_.images && !failed_; index = next_++) {
      write(index);
      ++done_;
      after_each();
    }
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }
}

void write_images(const fs::path& folder, const SyntheticFolderOptions& options) {
  for (const char* part : {"train", "test"}) {
    for (const std::string& name : synthetic_class_names()) fs::create_directories(folder / part / name);
  }
  ImageQueue queue(folder, options);
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < options.threads; ++i) threads.emplace_back([&] { queue.work([] {}); });
    queue.work([&] {
      if (options.progress) options.progress(queue.done(), options.images);
    });
  }
  if (queue.error()) std::rethrow_exception(queue.error());
  const std::string text = marker_text(options);
  write_new_file(folder / kMarker, std::as_bytes(std::span(text)));
  if (options.progress) options.progress(options.images, options.images);
}

void check(const SyntheticFolderOptions& options) {
  const std::size_t fewest = kHeldBack * synthetic_class_names().size();
  if (options.images < fewest) {
    throw ArgumentError(
        fmt::format("{} generated images are too few: at least {} give each class one for testing",
                    options.images, fewest));
  }
  if (options.threads < 1)
    throw ArgumentError(fmt::format("{} threads cannot write images", options.threads));
}

}  // namespace

bool write_synthetic_image_folder(const fs::path& root, const SyntheticFolderOptions& options) {
  check(options);
  try {
    if (is_complete(root, options)) return false;
    FolderInTheMaking folder(root);
    write_images(folder.path(), options);
    return folder.publish() || !is_complete(root, options);
  } catch (const fs::filesystem_error& error) {
    throw SystemError("changing " + error.path1().string(), error.code().value());
  }
}

}  // namespace leat::tools
