#include "leat/parallel/reduce/parameter_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "leat/parallel/reduce/gather_bytes.h"

namespace leat::detail {
namespace {

// FNV-1a in 64 bits, which detects accidental differences. It need not resist deliberate ones.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

std::string describe(std::span<const Parameter> parameters, std::size_t i) {
  if (i >= parameters.size()) return "no parameter";
  const Parameter& parameter = parameters[i];
  return fmt::format("\"{}\" {} {}", parameter.name, name_of(parameter.value.dtype),
                     to_string(parameter.value.shape));
}

// Returns one digest for each parameter, filled up to `size` with the digest of "no parameter".
std::vector<std::uint64_t> digests(std::span<const Parameter> parameters, std::size_t size) {
  std::vector<std::uint64_t> list(size);
  for (std::size_t i = 0; i < size; ++i) list[i] = digest_of(describe(parameters, i));
  return list;
}

template <class T>
std::vector<std::string> gather(Communicator& communicator, const T& items, StreamRef stream) {
  return gather_bytes(communicator, std::as_bytes(std::span(items)), stream);
}

// Returns the index of the first item in which `other` differs from `mine`, or their size if they are equal.
std::size_t first_difference(const std::string& mine, const std::string& other) {
  const auto at = std::mismatch(mine.begin(), mine.end(), other.begin()).first;
  return static_cast<std::size_t>(at - mine.begin()) / sizeof(std::uint64_t);
}

struct Summary {
  std::uint64_t count = 0;
  std::uint64_t digest = 0;
};

Summary summary_in(const std::string& bytes) {
  Summary summary;
  std::memcpy(&summary, bytes.data(), sizeof summary);
  return summary;
}

// Throws the error. Called only after a difference was found, so that the details are gathered only then. Every rank
// finds the same difference.
[[noreturn]] void report(Communicator& communicator, std::span<const Parameter> parameters,
                         const std::vector<std::string>& summaries, StreamRef stream) {
  std::size_t most = 0;
  for (const std::string& bytes : summaries) most = std::max<std::size_t>(most, summary_in(bytes).count);
  const auto lists = gather(communicator, digests(parameters, most), stream);
  const auto other =
      std::find_if(lists.begin(), lists.end(), [&](const auto& list) { return list != lists[0]; });
  const std::size_t index = other == lists.end() ? 0 : first_difference(lists[0], *other);
  std::array<char, 512> text{};
  describe(parameters, index).copy(text.data(), text.size() - 1);
  const auto texts = gather(communicator, text, stream);
  const auto rank = other == lists.end() ? 0 : other - lists.begin();
  throw CommunicationError(
      fmt::format("the ranks hold different parameters: number {} is {} on rank 0, but {} on rank {}", index,
                  texts[0].c_str(), texts[static_cast<std::size_t>(rank)].c_str(), rank));
}

}  // namespace

void require_same_parameters(Communicator& communicator, std::span<const Parameter> parameters,
                             StreamRef stream) {
  const auto list = digests(parameters, parameters.size());
  const auto bytes = std::as_bytes(std::span(list));
  const std::array<std::uint64_t, 2> mine{
      parameters.size(), digest_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()})};
  const auto summaries = gather(communicator, mine, stream);
  const bool same =
      std::all_of(summaries.begin(), summaries.end(), [&](const auto& s) { return s == summaries[0]; });
  if (!same) report(communicator, parameters, summaries, stream);
}

}  // namespace leat::detail
