#include "leat/parallel/shared_memory/host_introduction.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "leat/parallel/shared_memory/memory_file.h"
#include "leat/parallel/shared_memory/shared_regions.h"
#include "leat/parallel/shared_memory/unix_socket.h"
#include "tests/parallel/shared_memory/shared_memory_group.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

ino_t inode_of(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw_errno("fstat");
  return status.st_ino;
}

std::int64_t blocks_of(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw_errno("fstat");
  return status.st_blocks;
}

// Waits for an answer; an empty message is the end of the connection.
Message answer_at(const UniqueFd& socket) {
  for (;;) {
    if (auto message = receive_message(socket.get())) return std::move(*message);
    pollfd ready{.fd = socket.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 10'000) != 1) throw std::runtime_error("no answer within 10 s");
  }
}

UniqueFd connect_to(const std::string& name) {
  auto socket = connect_to_abstract(name, Deadline(10s));
  if (!socket) throw std::runtime_error("nobody listens at " + name);
  return std::move(*socket);
}

TEST_CASE("a file server hands its files only to those who know the password") {
  const MemoryFile file("a test");
  const std::string name = "leat-test-" + random_digits(8);
  const FileServer server(name, "password", {file.fd()}, 2);
  const std::string greeting(kFilesGreeting);
  std::vector<std::string> texts(1, std::string(100'000, 'y'));
  for (const char* const text :
       {"x", "leat-files ", "leat-files passwor", "leat-files password ", "leat-files password\n"})
    texts.emplace_back(text);
  for (const std::string& garbage : texts) {
    const UniqueFd stranger = connect_to(name);
    send_message(stranger.get(), garbage, {});
    const Message answer = answer_at(stranger);
    INFO(garbage.substr(0, 50));
    CHECK(answer.bytes.empty());
    CHECK(answer.files.empty());
  }
  const UniqueFd rank = connect_to(name);
  REQUIRE(send_message(rank.get(), greeting + "password", {}));
  const Message answer = answer_at(rank);
  CHECK(answer.bytes == kFilesReply);
  REQUIRE(answer.files.size() == 1);
  CHECK(inode_of(answer.files[0].get()) == inode_of(file.fd()));
  CHECK(process_at(rank.get()).pid == ::getpid());
}

TEST_CASE("strangers who say nothing do not keep a rank from being served") {
  const MemoryFile file("a test");
  const std::string name = "leat-test-" + random_digits(8);
  const FileServer server(name, "password", {file.fd()}, 2);
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(connect_to(name));
  const std::array<int, 1> files{file.fd()};
  send_message(silent[150].get(), "garbage with a file", files);
  const UniqueFd rank = connect_to(name);
  REQUIRE(send_message(rank.get(), fmt::format("{}password", kFilesGreeting), {}));
  CHECK(answer_at(rank).files.size() == 1);
}

TEST_CASE("strangers at the socket of a rank do not keep the ranks from joining") {
  const auto stores = loopback_stores(2);
  std::vector<UniqueFd> strangers;
  Group group(2);
  run_ranks(2, [&](int rank) {
    if (rank == 1) {
      const auto record = decode_host_record(stores[1]->get("shm/1/host/0"));
      expect(record.has_value(), "the record of rank 0");
      for (int i = 0; i < 100; ++i) strangers.push_back(connect_to(record->socket));
      send_message(strangers[0].get(), "garbage", {});
      send_message(strangers[1].get(), fmt::format("{}guess", kFilesGreeting), {});
    }
    const auto r = static_cast<std::size_t>(rank);
    group[r] = make_shared_memory_communicator(stores[r], {.timeout = 20s, .connect_timeout = 20s});
    group[r]->barrier();
  });
}

TEST_CASE("records of ranks survive their way through the store") {
  const HostRecord record{.boot = "a", .network = "b", .socket = "c", .password = "d", .options = "e = 1"};
  const auto decoded = decode_host_record(encode(record));
  REQUIRE(decoded);
  CHECK(decoded->boot == "a");
  CHECK(decoded->options == "e = 1");
  for (const char* const text :
       {"", "\n\n\n\n\n", "leat-shm-1", "leat-shm-1\na\nb\nc", "leat-shm-0\na\nb\nc\nd\ne"}) {
    INFO(text);
    CHECK_FALSE(decode_host_record(text));
  }
}

// What rank 1 of 2 would tell about itself, on another host.
std::string record_of_another_host(TcpStore& store) {
  auto record = decode_host_record(store.get("shm/1/host/0"));
  record->boot = "another";
  return encode(*record);
}

TEST_CASE("ranks on other hosts are named") {
  const auto stores = loopback_stores(2);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    if (rank == 1) return stores[1]->set("shm/1/host/1", record_of_another_host(*stores[1]));
    const std::string error = kind_of_error(
        [&] { make_shared_memory_communicator(stores[0], {.timeout = 20s, .connect_timeout = 20s}); });
    expect_equal(
        error,
        std::string("CommunicationError: rank 0: shared memory joins the ranks of one host, but rank 1 of 2 "
                    "runs on another"),
        "the error");
  });
  CHECK(errors == std::vector<std::string>(2));
}

TEST_CASE("all ranks of a process are on one host, and one of another host is not") {
  const auto stores = loopback_stores(3);
  run_ranks(3, [&](int rank) {
    const auto here = ranks_of_this_host(*stores[static_cast<std::size_t>(rank)], 20s);
    expect(here == std::vector<int>{0, 1, 2}, "three ranks on this host");
  });
  run_ranks(3, [&](int rank) {
    TcpStore& store = *stores[static_cast<std::size_t>(rank)];
    if (rank == 2) {
      auto record = decode_host_record(store.get("ranks_of_this_host/2/host/0"));
      record->boot = "another";
      store.set("ranks_of_this_host/2/host/2", encode(*record));
      return store.set("ranks_of_this_host/2/parted/2", "");
    }
    expect(ranks_of_this_host(store, 20s) == std::vector<int>{0, 1}, "two ranks on this host");
  });
}

TEST_CASE("a rank that runs another version is refused") {
  const auto stores = loopback_stores(2);
  stores[1]->set("shm/1/host/1", "leat-shm-0\nsomething else");
  const std::string error = kind_of_error(
      [&] { make_shared_memory_communicator(stores[0], {.timeout = 20s, .connect_timeout = 20s}); });
  CHECK(error == "Disagreement 0 1: rank 0: rank 1 runs another version of leat");
}

TEST_CASE("ranks with different options disagree") {
  const auto stores = loopback_stores(2);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    const std::size_t bytes = rank == 0 ? 65'536 : 131'072;
    const std::string error = kind_of_error([&] {
      make_shared_memory_communicator(stores[static_cast<std::size_t>(rank)],
                                      {.timeout = 20s, .connect_timeout = 20s, .staging_bytes = bytes});
    });
    expect(error.starts_with("Disagreement 0 1: "), "a disagreement, not " + error);
    expect(error.find("staging_bytes = 65536") != std::string::npos, "rank 0's option in " + error);
    expect(error.find("staging_bytes = 131072") != std::string::npos, "rank 1's option in " + error);
  });
  CHECK(errors == std::vector<std::string>(2));
}

TEST_CASE(
    "a rank with options out of range is no mystery to the others, and can join the next communicator") {
  const auto stores = loopback_stores(2);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    const auto join = [&](std::size_t bytes) {
      make_shared_memory_communicator(stores[static_cast<std::size_t>(rank)],
                                      {.timeout = 20s, .connect_timeout = 20s, .staging_bytes = bytes})
          ->barrier();
    };
    const std::string error = kind_of_error([&] { join(rank == 0 ? 5 : 65'536); });
    expect(error.find("staging_bytes is 5") != std::string::npos, "rank 0's option in " + error);
    join(65'536);
  });
  CHECK(errors == std::vector<std::string>(2));
}

TEST_CASE("a rank that never joins is named after the timeout") {
  const auto stores = loopback_stores(3);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    const std::string error = kind_of_error([&] {
      make_shared_memory_communicator(stores[static_cast<std::size_t>(rank)], {.connect_timeout = 300ms});
    });
    expect(error.starts_with("PeerSilent 2: "), "PeerSilent, not " + error);
    expect(error.find("missing: rank 2 of 3") != std::string::npos, "the missing rank in " + error);
  });
  CHECK(errors == std::vector<std::string>(2));
}

TEST_CASE("options of shared memory out of range are refused") {
  const auto stores = loopback_stores(1);
  expect_error<ArgumentError>([&] { make_shared_memory_communicator(stores[0], {.staging_bytes = 65'535}); },
                              {"staging_bytes is 65535"});
  expect_error<ArgumentError>([&] { make_shared_memory_communicator(stores[0], {.timeout = 0ms}); },
                              {"timeout is 0 ms"});
}

TEST_CASE("memory files grow, keep their size, and give pages back") {
  MemoryFile file("a test");
  const std::size_t first = file.append(100'000);
  const std::size_t second = file.append(1);
  CHECK(first == 0);
  CHECK(second == 102'400);
  CHECK(::ftruncate(file.fd(), 0) != 0);  // sealed
  const Mapping mapping = file.map(first, 100'000);
  mapping.data()[99'999] = std::byte{7};
  CHECK_THROWS_AS(file.map(0, 200'000), CommunicationError);
  const std::int64_t before = blocks_of(file.fd());
  file.release(first, 102'400);
  CHECK(blocks_of(file.fd()) < before);
  CHECK(mapping.data()[99'999] == std::byte{0});
}

TEST_CASE("a file that may shrink is refused") {
  UniqueFd open(::memfd_create("test", MFD_CLOEXEC));
  CHECK_THROWS_AS(MemoryFile(std::move(open), "a test"), CommunicationError);
}

TEST_CASE("the pages of a region are given back with the region") {
  const auto file = std::make_shared<MemoryFile>("a test");
  SharedRegions regions;
  auto region = std::make_shared<SharedRegion>(1, file, file->append(1 << 20), 1 << 20, 0, 1);
  regions.add(region);
  std::byte* const data = region->own();
  CHECK(regions.find(data, 1 << 20) == region);
  CHECK(regions.find(data + 100, (1 << 20) - 100) == region);
  CHECK(regions.find(data + 100, 1 << 20) == nullptr);
  CHECK(regions.find(data - 1, 1) == nullptr);
  const std::int64_t before = blocks_of(file->fd());
  region.reset();
  CHECK(regions.find(data, 1) == nullptr);
  CHECK(blocks_of(file->fd()) < before);
}

}  // namespace
}  // namespace leat::test
