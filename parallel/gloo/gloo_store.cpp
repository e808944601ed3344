#include "leat/parallel/gloo/gloo_store.h"

#include <algorithm>

namespace leat::detail {

void GlooStore::set(const std::string& key, const std::vector<char>& data) {
  store_.set(prefix_ + key, {data.data(), data.size()});
}

std::vector<char> GlooStore::get(const std::string& key) {
  const std::string value = store_.get(prefix_ + key, deadline_.left());
  return {value.begin(), value.end()};
}

void GlooStore::wait(const std::vector<std::string>& keys) {
  wait(keys, deadline_.left());
}

void GlooStore::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) {
  std::vector<std::string> full;
  full.reserve(keys.size());
  for (const std::string& key : keys) full.push_back(prefix_ + key);
  store_.wait(full, std::min(timeout, deadline_.left()));
}

}  // namespace leat::detail
