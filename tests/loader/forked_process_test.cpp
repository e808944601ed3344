// Loaders in processes that are forked from the one that made them: by the loader's own workers, and by the program.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "leat/datasets/base/process_identity.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/os/child_process.h"
#include "leat/loader/os/wake_pipe.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/ragged_dataset.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::HookedDataset;

using namespace std::chrono_literals;

void quiet(const std::string&) {}

// Each sample is read through a loader of the dataset's own, which was made with the dataset, before any fork.
class NestedDataset final : public Dataset {
 public:
  explicit NestedDataset(std::size_t size) : size_(size), schema_({{"sum", DType::u64, {}}}) {}
  std::size_t size() const override { return size_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    fixed_.start_epoch(index);
    ragged_.start_epoch(index);
    std::uint64_t sum = 0;
    while (const auto batch = fixed_.next()) {
      for (const std::uint32_t noise : (*batch)["noise"].as<std::uint32_t>()) sum = sum * 31 + noise;
      std::this_thread::yield();  // so that the workers get in each other's way if they can
    }
    while (const auto batch = ragged_.next()) {
      for (const std::int32_t token : batch->ragged<std::int32_t>("tokens").values())
        sum = sum * 31 + static_cast<std::uint64_t>(token);
    }
    out.set("sum", sum);
  }

 private:
  std::size_t size_;
  Schema schema_;
  ArithmeticDataset inner_{24};
  test::RaggedDataset inner_ragged_{16};
  mutable DataLoader fixed_{inner_, {.batch_size = 5, .shuffle = true}};
  mutable DataLoader ragged_{inner_ragged_, {.batch_size = 3, .shuffle = true}};
};

TEST_CASE("a dataset may read through an inline loader of its own, in any number of workers", "[process]") {
  const NestedDataset dataset(60);
  DataLoader inline_loader(dataset, {.batch_size = 4, .shuffle = true});
  const std::vector<std::byte> expected = test::delivered_bytes(inline_loader, 3);
  for (const int workers : {1, 2, 5}) {
    INFO(workers << " workers");
    DataLoader loader(dataset,
                      {.batch_size = 4, .shuffle = true, .num_workers = workers, .on_warning = quiet});
    CHECK(test::delivered_bytes(loader, 3) == expected);
    CHECK(test::delivered_bytes(loader, 3) == expected);
  }
}

TEST_CASE("a worker may have a loader with workers of its own", "[process]") {
  const ArithmeticDataset inner(20);
  const HookedDataset dataset(12, [&](std::size_t index) {
    DataLoader nested(inner, {.batch_size = 4, .shuffle = true, .num_workers = 2, .on_warning = quiet});
    std::size_t rows = 0;
    for (HostBatch& batch : nested.epoch(index)) {
      test::check_rows(batch, 0);
      rows += batch.size();
    }
    if (rows != 20) throw std::runtime_error("the nested loader lost rows");
  });
  DataLoader loader(dataset, {.batch_size = 3, .num_workers = 2, .on_warning = quiet});
  std::size_t rows = 0;
  while (const auto batch = loader.next()) rows += batch->size();
  CHECK(rows == 12);
}

// What a program's own forked helper does with a loader that it inherits.
enum class InChild { destroys_it, asks_it, begins_an_epoch, restores, releases_a_batch, assigns_another };

int use_in_child(InChild what, std::optional<DataLoader>& loader, std::optional<HostBatch>& batch,
                 const Dataset& dataset) {
  switch (what) {
    case InChild::destroys_it:
      loader.reset();
      return 0;
    case InChild::asks_it:
      test::expect_error<ForkedProcessError>([&] { loader->next(); }, {"another process", "num_workers = 0"});
      return 0;
    case InChild::begins_an_epoch:
      test::expect_error<ForkedProcessError>([&] { loader->start_epoch(5); }, {"another process"});
      return 0;
    case InChild::restores:
      test::expect_error<ForkedProcessError>([&] { loader->restore(loader->state()); }, {"another process"});
      return 0;
    case InChild::releases_a_batch:
      batch.reset();
      return 0;
    case InChild::assigns_another:
      *loader = DataLoader(dataset, {.batch_size = 5, .num_workers = 1, .on_warning = quiet});
      return loader->next()->size() == 5 ? 0 : 1;
  }
  return 2;
}

TEST_CASE("a program's forked helper that inherits a loader leaves it alone", "[process]") {
  const ArithmeticDataset dataset(2000);
  for (const WorkerKind kind : {WorkerKind::processes, WorkerKind::threads}) {
    for (const InChild what : {InChild::destroys_it, InChild::asks_it, InChild::begins_an_epoch,
                               InChild::restores, InChild::releases_a_batch, InChild::assigns_another}) {
      INFO("kind " << static_cast<int>(kind) << ", case " << static_cast<int>(what));
      std::optional<DataLoader> loader;
      loader.emplace(
          dataset,
          DataLoaderOptions{.batch_size = 5, .num_workers = 2, .worker_kind = kind, .on_warning = quiet});
      std::optional<HostBatch> batch = loader->next();
      ChildProcess helper = ChildProcess::run([&] { return use_in_child(what, loader, batch, dataset); });
      std::uint64_t number = 0;
      for (; number < 100; ++number) {
        REQUIRE(batch);
        REQUIRE(batch->number() == number);
        test::check_rows(*batch, 0);
        batch.reset();
        batch = loader->next();
      }
      const auto status = helper.wait(5s);
      REQUIRE(status);
      CHECK(*status == 0);
      while (batch) {
        REQUIRE(batch->number() == number++);
        test::check_rows(*batch, 0);
        batch.reset();
        batch = loader->next();
      }
      CHECK(number == 400);
    }
  }
}

TEST_CASE("an inline loader goes on in both processes after a fork", "[process]") {
  const ArithmeticDataset dataset(60);
  DataLoader loader(dataset, {.batch_size = 4, .shuffle = true});
  const std::vector<std::byte> expected = test::delivered_bytes(loader, 1);
  loader.start_epoch(1);
  loader.next();
  std::array<std::vector<std::uint64_t>, 2> seen;
  const auto rest = [&](int side) {
    while (const auto batch = loader.next()) {
      test::check_rows(*batch, 0);
      seen[static_cast<std::size_t>(side)].push_back(batch->indices()[0]);
    }
    return seen[static_cast<std::size_t>(side)].size();
  };
  ChildProcess helper = ChildProcess::run([&] { return rest(1) == 14 ? 0 : 1; });
  CHECK(rest(0) == 14);
  CHECK(helper.wait() == 0);
  CHECK(test::delivered_bytes(loader, 1) == expected);
}

TEST_CASE("a process identity is the process's own, and not its children's", "[process]") {
  const ProcessIdentity parent;
  CHECK(parent.is_current());
  ChildProcess child = ChildProcess::run([&] {
    const ProcessIdentity own;
    if (parent.is_current() || !own.is_current()) return 1;
    ChildProcess grandchild =
        ChildProcess::run([&] { return parent.is_current() || own.is_current() ? 1 : 0; });
    return grandchild.wait();
  });
  CHECK(child.wait() == 0);
  CHECK(parent.is_current());
}

TEST_CASE("a wake-up pipe knows when its descriptors are no longer its own") {
  const test::TemporaryFolder folder;
  const WakePipe pipe;
  CHECK(pipe.notify());
  CHECK(pipe.is_ours());
  const std::string file = (folder.path() / "file").string();
  const UniqueFd saved(::fcntl(pipe.write_fd(), F_DUPFD_CLOEXEC, 0));
  REQUIRE(::close(pipe.write_fd()) == 0);
  CHECK_FALSE(pipe.notify());
  const int other = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(other == pipe.write_fd());
  CHECK_FALSE(pipe.notify());
  CHECK_FALSE(pipe.is_ours());
  CHECK(std::filesystem::file_size(file) == 0);
  REQUIRE(::dup2(saved.get(), pipe.write_fd()) == pipe.write_fd());
  CHECK(pipe.notify());
}

TEST_CASE(
    "a dataset that closes the loader's descriptors loses no sample, and finds nothing in its own files",
    "[process]") {
  const test::TemporaryFolder folder;
  std::string warned;
  const test::RaggedDataset inner(40);
  class Closing final : public Dataset {
   public:
    Closing(const Dataset& inner, const std::filesystem::path& folder) : inner_(inner), folder_(folder) {}
    std::size_t size() const override { return inner_.size(); }
    const Schema& schema() const override { return inner_.schema(); }
    void get(std::size_t index, Rng& rng, SampleWriter& out) const override {
      for (int fd = 3; fd < 64; ++fd) ::close(fd);
      const std::string name = (folder_ / std::to_string(index)).string();
      // As many files as there were descriptors; they take the numbers of the loader's.
      for (int file = 0; file < 32; ++file) {
        if (::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600) < 0) throw std::runtime_error("open");
      }
      inner_.get(index, rng, out);
    }

   private:
    const Dataset& inner_;
    const std::filesystem::path folder_;
  };
  const Closing dataset(inner, folder.path());
  DataLoader loader(dataset, {.batch_size = 4,
                              .num_workers = 2,
                              .timeout = 20s,
                              .on_warning = [&](const std::string& text) { warned += text; }});
  std::size_t rows = 0;
  while (const auto batch = loader.next()) {
    test::check_ragged_rows(*batch, inner);
    rows += batch->size();
  }
  CHECK(rows == 40);
  CHECK(warned.find("closed a descriptor") != std::string::npos);
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) CHECK(file.file_size() == 0);
}

}  // namespace
}  // namespace leat
