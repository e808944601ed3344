#include "leat/parallel/store/store_table.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

std::int64_t number_in(const std::string& key, const std::string& text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) {
    throw CommunicationError(fmt::format("key \"{}\": only decimal numbers can be added", key));
  }
  return value;
}

}  // namespace

void StoreTable::set(const std::string& key, std::string value) {
  const auto old = values_.find(key);
  const std::size_t freed = old == values_.end() ? 0 : key.size() + old->second.size();
  const std::size_t wanted = bytes_ - freed + key.size() + value.size();
  if (wanted > kMaxBytes || (old == values_.end() && values_.size() >= kMaxKeys)) {
    throw CommunicationError(
        fmt::format("the store is full: it holds at most {} keys and {} bytes", kMaxKeys, kMaxBytes));
  }
  bytes_ = wanted;
  values_.insert_or_assign(key, std::move(value));
}

const std::string* StoreTable::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

const std::string& StoreTable::add(const std::string& key, const std::string& delta) {
  const std::string* old = find(key);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(old == nullptr ? 0 : number_in(key, *old), number_in(key, delta), &sum)) {
    throw CommunicationError(fmt::format("key \"{}\": the sum exceeds 64 bits", key));
  }
  set(key, std::to_string(sum));
  return *find(key);
}

}  // namespace leat::detail
