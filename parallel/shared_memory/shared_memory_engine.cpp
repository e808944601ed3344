#include "leat/parallel/shared_memory/shared_memory_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"
#include "leat/parallel/local/inline_collective.h"
#include "leat/parallel/local/pair_exchange.h"
#include "leat/parallel/local/slice_reduce.h"

namespace leat::detail {
namespace {

constexpr std::uint64_t kStagingRegion = 0;

std::string purpose_of(int rank) {
  return fmt::format("shared memory of rank {}", rank);
}

// Ranks that have left may end: those that wait for them learn that they have left.
std::optional<Failure> find_ended(const std::vector<UniqueFd>& processes, const RendezvousMemory& meeting) {
  for (const int rank : ended_processes(processes)) {
    if (meeting.cell(rank).left.load() != 0) continue;
    return Failure{.kind = Failure::Kind::peer_lost,
                   .ranks = {rank},
                   .text = fmt::format("rank {} was lost: its process has ended", rank)};
  }
  return std::nullopt;
}

std::byte* at(void* data, std::size_t offset) {
  return static_cast<std::byte*>(data) + offset;
}

}  // namespace

SharedMemoryEngine::SharedMemoryEngine(TcpStore& store, const std::string& prefix,
                                       const SharedMemoryOptions& options)
    : rank_(store.world().rank),
      size_(store.world().world_size),
      piece_bytes_(std::max(options.staging_bytes / kStagingPieces / page_size(), std::size_t{1}) *
                   page_size()),
      peer_files_(static_cast<std::size_t>(size_)),
      processes_(static_cast<std::size_t>(size_)) {
  announcing_failure(store, prefix, [&] { join(store, prefix, options); });
}

void SharedMemoryEngine::announcing_failure(TcpStore& store, const std::string& prefix,
                                            const std::function<void()>& step) const {
  try {
    step();
  } catch (const std::exception& error) {
    Failure failure = failure_of(error);
    failure.text = fmt::format("rank {} could not join the shared memory: {}", rank_, failure.text);
    announce_failure(store, prefix, failure);  // does nothing if one was announced before
    throw;
  }
}

SharedMemoryEngine::~SharedMemoryEngine() {
  rendezvous_->leave();
}

void SharedMemoryEngine::join(TcpStore& store, const std::string& prefix,
                              const SharedMemoryOptions& options) {
  file_ = std::make_shared<MemoryFile>(purpose_of(rank_));
  const std::size_t staging_bytes = kStagingPieces * piece_bytes_;
  staging_ = std::make_unique<SharedRegion>(kStagingRegion, file_, file_->append(staging_bytes),
                                            staging_bytes, rank_, size_, SharedRegion::Pages::stay);
  std::vector<int> files{file_->fd()};
  MemoryFile meeting("the meeting of all ranks");
  if (rank_ == 0) {
    const std::size_t bytes = RendezvousMemory::bytes_for(size_);
    meeting_ = meeting.map(meeting.append(bytes), bytes);
    RendezvousMemory::create(meeting_.bytes(), size_);
    files.push_back(meeting.fd());
  }
  HostIntroduction introduction(store, prefix, fmt::format("staging_bytes = {}", options.staging_bytes),
                                files, options.connect_timeout);
  // A failure is announced before the introduction ends, or other ranks would take this one for lost.
  announcing_failure(store, prefix, [&] {
    connect(introduction);
    await_all(introduction, options);
  });
}

void SharedMemoryEngine::connect(HostIntroduction& introduction) {
  const std::vector<int> here = introduction.meet_all();
  for (int rank = 0; rank < size_; ++rank) {
    if (introduction.record_of(rank).options == introduction.record_of(rank_).options) continue;
    throw Disagreement(
        {std::min(rank, rank_), std::max(rank, rank_)},
        fmt::format("the ranks disagree: rank {} has {}, rank {} has {}", rank_,
                    introduction.record_of(rank_).options, rank, introduction.record_of(rank).options));
  }
  std::vector<int> elsewhere;
  for (int rank = 0; rank < size_; ++rank) {
    if (std::ranges::find(here, rank) == here.end()) elsewhere.push_back(rank);
  }
  if (!elsewhere.empty()) {
    throw CommunicationError(
        fmt::format("rank {}: shared memory joins the ranks of one host, but {} run{} on another", rank_,
                    name_ranks(elsewhere, size_), elsewhere.size() == 1 ? "s" : ""));
  }
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    auto peer = introduction.reach(rank);
    if (!peer) {
      throw CommunicationError(fmt::format("rank {} cannot share memory with rank {} of {}: {}", rank_, rank,
                                           size_, introduction.why_not()));
    }
    take_files(rank, std::move(*peer));
  }
}

void SharedMemoryEngine::take_files(int rank, HostPeer peer) {
  if (peer.files.size() != (rank == 0 ? 2U : 1U)) {
    throw CommunicationError(
        fmt::format("rank {} got {} files from rank {}", rank_, peer.files.size(), rank));
  }
  const auto index = static_cast<std::size_t>(rank);
  processes_[index] = std::move(peer.process);
  peer_files_[index].emplace(std::move(peer.files[0]), purpose_of(rank));
  staging_->map_peer(rank, *peer_files_[index]);
  if (rank != 0) return;
  const MemoryFile meeting(std::move(peer.files[1]), "the meeting of all ranks");
  meeting_ = meeting.map(0, RendezvousMemory::bytes_for(size_));
}

void SharedMemoryEngine::await_all(HostIntroduction& introduction, const SharedMemoryOptions& options) {
  const RendezvousMemory meeting(meeting_.data(), size_);
  const auto find_problem = [&]() -> std::optional<Failure> {
    try {
      auto announced = introduction.announced();
      return announced ? announced : find_ended(processes_, meeting);
    } catch (const CommunicationError& error) {
      return failure_of(
          error);  // of the store: the other ranks may still reach it, and learn of this rank here
    }
  };
  auto rendezvous = std::make_unique<Rendezvous>(
      meeting, rank_,
      RendezvousOptions{.timeout = introduction.deadline().left(), .find_problem = find_problem});
  rendezvous->arrive({});
  rendezvous->set_options({.timeout = options.timeout,
                           .find_problem = [this, meeting] { return find_ended(processes_, meeting); }});
  rendezvous_ = std::move(rendezvous);
}

void SharedMemoryEngine::run(const CollectiveCall& call) {
  if (is_exchange(call)) return exchange(call);
  if (is_inline(call)) return run_inline(*rendezvous_, call);
  if (call.kind == CollectiveCall::Kind::allocate) return allocate(call);
  const auto region = regions_.find(call.data.data, call.data.bytes());
  SharedPlace place;
  if (region) {
    place = {.region = region->number(),
             .offset = static_cast<std::uint64_t>(static_cast<std::byte*>(call.data.data) - region->own())};
  }
  rendezvous_->arrive({.call = call, .place = place});
  if (all_in(region.get())) {
    run_in_place(call, *region);
  } else {
    run_staged(call);
  }
}

void SharedMemoryEngine::allocate(const CollectiveCall& call) {
  const std::size_t bytes = align_up(std::max<std::size_t>(call.data.count, 1), page_size());
  rendezvous_->arrive({.call = call});
  const auto region =
      std::make_shared<SharedRegion>(++allocated_, file_, file_->append(bytes), bytes, rank_, size_);
  rendezvous_->meet();  // now each rank's file has the part
  for (int rank = 0; rank < size_; ++rank) {
    if (rank != rank_) region->map_peer(rank, *peer_files_[static_cast<std::size_t>(rank)]);
  }
  rendezvous_
      ->meet();  // before an owner can give its part back: mapping it would then take new pages for ever
  regions_.add(region);
  *call.allocated = CommunicationBuffer(region->own(), call.data.count, region);
}

bool SharedMemoryEngine::all_in(const SharedRegion* region) const {
  for (int rank = 0; rank < size_; ++rank) {
    const RankCall& other = rendezvous_->call_of(rank);
    if (region == nullptr || other.place.region != region->number()) return false;
    if (other.place.offset > region->bytes() ||
        other.call.data.bytes() > region->bytes() - other.place.offset) {
      throw CommunicationError(fmt::format("rank {} names {} bytes at {} of {} bytes of shared memory", rank,
                                           other.call.data.bytes(), other.place.offset, region->bytes()));
    }
  }
  return true;
}

void SharedMemoryEngine::run_in_place(const CollectiveCall& call, const SharedRegion& region) {
  const auto data_of = [&](int rank) {
    return region.part_of(rank) + rendezvous_->call_of(rank).place.offset;
  };
  if (call.kind == CollectiveCall::Kind::all_reduce) reduce_in_place(call, region);
  if (call.kind == CollectiveCall::Kind::reduce_scatter) scatter_in_place(call, region);
  if (call.kind == CollectiveCall::Kind::broadcast && rank_ != call.root) {
    std::memcpy(call.data.data, data_of(call.root), call.data.bytes());
  }
  if (call.kind == CollectiveCall::Kind::all_gather) {
    for (int rank = 0; rank < size_; ++rank) place_gathered(call, rank, data_of(rank));
  }
  rendezvous_->meet();  // only now may this rank change its data again
}

void SharedMemoryEngine::reduce_in_place(const CollectiveCall& call, const SharedRegion& region) const {
  if (size_ == 1) return;
  std::vector<void*> buffers;
  for (int rank = 0; rank < size_; ++rank) {
    buffers.push_back(region.part_of(rank) + rendezvous_->call_of(rank).place.offset);
  }
  const std::vector<const void*> sources(buffers.begin(), buffers.end());
  slice_reduce(sources, buffers, slice_of(rank_, size_, call.data.count), call.data.dtype, call.op);
}

// Each rank reads its own part of every rank's data, so a result that lies there is in nobody's way.
void SharedMemoryEngine::scatter_in_place(const CollectiveCall& call, const SharedRegion& region) const {
  if (size_ == 1) return place_alone(call);
  const std::size_t part = static_cast<std::size_t>(rank_) * call.result.bytes();
  std::vector<const void*> sources;
  for (int rank = 0; rank < size_; ++rank) {
    sources.push_back(region.part_of(rank) + rendezvous_->call_of(rank).place.offset + part);
  }
  void* const target = call.result.data;
  slice_reduce(sources, {&target, 1}, {0, call.result.count}, call.result.dtype, call.op);
}

std::byte* SharedMemoryEngine::staged(int rank, std::size_t piece) const {
  return staging_->part_of(rank) + piece % kStagingPieces * piece_bytes_;
}

void SharedMemoryEngine::run_staged(const CollectiveCall& call) {
  last_piece_ = divide_up(call.data.bytes(), piece_bytes_) - 1;
  const bool scatters = call.kind == CollectiveCall::Kind::reduce_scatter;
  if (call.kind != CollectiveCall::Kind::all_reduce && !scatters) return move_staged(call);
  if (size_ > 1) return reduce_staged(call);
  if (scatters) place_alone(call);
}

// While piece i is reduced, piece i + 1 is written, so that one meeting for each piece is enough. A rank that takes the
// result of piece i may meet ranks that write piece i + 2, never those that write piece i + 3, which is in the same
// place: they wait for it to arrive at the meeting of piece i + 1.
//
// A rank keeps the elements of [wanted.first, wanted.last). If these are only its own part, the sums of the other parts
// are divided among all ranks nonetheless.
void SharedMemoryEngine::reduce_staged(const CollectiveCall& call) {
  const std::size_t element = size_of(call.data.dtype);
  const std::size_t capacity = piece_bytes_ / element;
  const std::size_t pieces = divide_up(call.data.count, capacity);
  const auto count_of = [&](std::size_t piece) {
    return std::min(capacity, call.data.count - piece * capacity);
  };
  const bool scatters = call.kind == CollectiveCall::Kind::reduce_scatter;
  const TensorSpan& to = scatters ? call.result : call.data;
  const std::size_t skipped = scatters ? static_cast<std::size_t>(rank_) * to.count : 0;
  const ElementRange wanted{skipped, skipped + to.count};
  const auto put = [&](std::size_t piece) {
    std::memcpy(staged(rank_, piece), at(call.data.data, piece * piece_bytes_), count_of(piece) * element);
  };
  put(0);
  rendezvous_->meet();
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (piece + 1 < pieces) put(piece + 1);
    std::vector<const void*> sources;
    for (int rank = 0; rank < size_; ++rank) sources.push_back(staged(rank, piece));
    void* const target = staged(rank_, piece);
    slice_reduce(sources, {&target, 1}, slice_of(rank_, size_, count_of(piece)), call.data.dtype, call.op);
    rendezvous_->meet();
    for (int rank = 0; rank < size_; ++rank) {
      const auto slice = slice_of(rank, size_, count_of(piece));
      const std::size_t start = piece * capacity;
      const std::size_t first = std::max(start + slice.first, wanted.first);
      const std::size_t last = std::min(start + slice.last, wanted.last);
      if (first >= last) continue;
      std::memcpy(at(to.data, (first - wanted.first) * element),
                  staged(rank, piece) + (first - start) * element, (last - first) * element);
    }
  }
}

// Of the sender's three pieces, ranks that are behind may still read that with which the last collective ended. Both
// ranks know which it is: they have taken part in the same collectives.
void SharedMemoryEngine::exchange(const CollectiveCall& call) {
  static_assert(kExchangePieces == kStagingPieces - 1);
  detail::exchange(*rendezvous_, call,
                   {.bytes = piece_bytes_, .place = [this](int sender, std::uint32_t piece) {
                      return staged(sender, last_piece_ + 1 + piece % kExchangePieces);
                    }});
}

void SharedMemoryEngine::move_staged(const CollectiveCall& call) {
  const std::size_t bytes = call.data.bytes();
  const bool gathers = call.kind == CollectiveCall::Kind::all_gather;
  for (std::size_t done = 0, piece = 0; done < bytes; done += piece_bytes_, ++piece) {
    const std::size_t size = std::min(piece_bytes_, bytes - done);
    if (gathers || rank_ == call.root) std::memcpy(staged(rank_, piece), at(call.data.data, done), size);
    rendezvous_->meet();
    if (!gathers && rank_ != call.root) std::memcpy(at(call.data.data, done), staged(call.root, piece), size);
    for (int rank = 0; gathers && rank < size_; ++rank) {
      void* const place = at(call.result.data, static_cast<std::size_t>(rank) * bytes + done);
      if (rank != rank_ || place != at(call.data.data, done)) std::memcpy(place, staged(rank, piece), size);
    }
  }
}

}  // namespace leat::detail
