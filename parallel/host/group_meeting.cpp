#include "leat/parallel/host/group_meeting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "leat/parallel/communicator.h"
#include "leat/parallel/host/failure.h"
#include "leat/parallel/store/deadline.h"
#include "leat/parallel/store/sha256.h"

namespace leat::detail {
namespace {

// A wait for a rank looks this often at what that rank does, and whether another one has given up.
constexpr std::chrono::milliseconds kGlance{100};

// What a rank tells about the group that it made last.
struct GroupCall {
  std::string list;  // "4,5,6"
  int number = 0;    // of the groups with this list that the rank has made, from 1
};

std::string encode(const GroupCall& call) {
  return fmt::format("{} {}", call.number, call.list);
}

std::optional<GroupCall> decode(const std::string& text) {
  GroupCall call;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), call.number);
  if (error != std::errc() || end == text.data() + text.size()) return std::nullopt;
  call.list.assign(end + 1, text.data() + text.size());
  return call;
}

// Keys have a limited length, lists of ranks have not.
std::string digest_of(const std::string& list) {
  return hex(sha256(list));
}

std::string name_of(const GroupCall& call) {
  return fmt::format("{}/{}", digest_of(call.list), call.number);
}

bool contains(const std::string& list, int rank) {
  return fmt::format(",{},", list).find(fmt::format(",{},", rank)) != std::string::npos;
}

std::string latest_key(int rank) {
  return fmt::format("leat/groups/latest/{}", rank);
}

// Returns the key at which a rank counts the groups with a list that it has made.
std::string made_key(const std::string& list, int rank) {
  return fmt::format("leat/groups/made/{}/{}", digest_of(list), rank);
}

class GroupMeeting {
 public:
  GroupMeeting(TcpStore& store, std::span<const int> ranks, std::chrono::milliseconds timeout)
      : store_(store),
        own_(store.world().rank),
        ranks_(ranks),
        timeout_(timeout),
        deadline_(timeout),
        call_{.list = fmt::format("{}", fmt::join(ranks, ",")), .number = 0} {
    call_.number = static_cast<int>(store.add(made_key(call_.list, own_), 1));
    name_ = name_of(call_);
  }

  std::string run() {
    store_.set(latest_key(own_), encode(call_));
    store_.set(key(own_), "");
    try {
      await_all();
    } catch (const CommunicationError& error) {
      announce(failure_of(error));
      throw;
    }
    return name_;
  }

 private:
  std::string key(int rank) const { return fmt::format("leat/groups/{}/{}", name_, rank); }
  static std::string failure_key(const std::string& name) {
    return fmt::format("leat/groups/{}/failed", name);
  }

  void await_all() {
    std::vector<int> missing;
    std::string instead;
    for (const int rank : ranks_) {
      while (!store_.try_get(key(rank), std::min<std::chrono::milliseconds>(deadline_.left(), kGlance))) {
        if (const auto failed = store_.try_get(failure_key(name_))) raise(decode_failure(*failed));
        if (is_lost(rank)) throw_lost(rank);
        const std::optional<GroupCall> other = latest_of(rank);
        if (other && waits_for_this_rank(*other)) throw_disagreement(rank, *other);
        if (!deadline_.passed()) continue;
        missing.push_back(rank);
        if (other) instead += fmt::format("; rank {} has last made a group of ranks {}", rank, other->list);
        break;
      }
    }
    if (const auto failed = store_.try_get(failure_key(name_)))
      raise(decode_failure(*failed));  // all came, one too late
    if (missing.empty()) return;
    throw PeerSilent(missing, fmt::format("rank {} waited {} ms for the group of ranks {}; missing: {}{}",
                                          own_, timeout_.count(), call_.list,
                                          name_ranks(missing, store_.world().world_size), instead));
  }

  std::optional<GroupCall> latest_of(int rank) {
    const auto text = store_.try_get(latest_key(rank));
    return text ? decode(*text) : std::nullopt;
  }

  // Returns whether a rank whose call this is waits for this rank, which is elsewhere, or did so until it found out.
  bool waits_for_this_rank(const GroupCall& other) {
    if (other.list == call_.list || !contains(other.list, own_)) return false;
    if (store_.add(made_key(other.list, own_), 0) >= other.number) return false;
    const auto failed = store_.try_get(failure_key(name_of(other)));
    if (!failed) return true;
    const Failure failure = decode_failure(*failed);
    return failure.kind == Failure::Kind::disagreement &&
           std::ranges::find(failure.ranks, own_) != failure.ranks.end();
  }

  [[noreturn]] void throw_disagreement(int rank, const GroupCall& other) {
    // Counts the other call as made, so that it is no disagreement again, and the next ones have equal numbers.
    const std::string made = made_key(other.list, own_);
    store_.add(made, other.number - store_.add(made, 0));
    const bool first = own_ < rank;
    const int low = std::min(rank, own_), high = std::max(rank, own_);
    throw Disagreement(
        {low, high},
        fmt::format("the ranks disagree: rank {} makes a group of ranks {}, rank {} one of ranks {}", low,
                    first ? call_.list : other.list, high, first ? other.list : call_.list));
  }

  bool is_lost(int rank) {
    const std::vector<int> lost = store_.lost_ranks();
    return std::ranges::find(lost, rank) != lost.end();
  }

  [[noreturn]] void throw_lost(int rank) const {
    throw PeerLost(rank, fmt::format("rank {} waited for the group of ranks {}, but rank {} was lost", own_,
                                     call_.list, rank));
  }

  // Tells the others, who may come later.
  void announce(const Failure& failure) noexcept {
    try {
      if (!store_.try_get(failure_key(name_))) store_.set(failure_key(name_), encode(failure));
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
      // The store is lost, or there is no memory. The other ranks have their deadlines.
    }
  }

  TcpStore& store_;
  const int own_;
  const std::span<const int> ranks_;
  const std::chrono::milliseconds timeout_;
  const Deadline deadline_;
  GroupCall call_;
  std::string name_;
};

}  // namespace

std::string meet_group(TcpStore& store, std::span<const int> ranks, std::chrono::milliseconds timeout) {
  return GroupMeeting(store, ranks, timeout).run();
}

}  // namespace leat::detail
