// What a URI names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/formats/registry.h"

namespace leat::detail {

// What `uri` names, whether or not it has splits: FORMAT:PATH, with a scheme of the registry, or a path alone: what
// recognize_source() knows, or else an image folder. Throws ArgumentError where there is nothing, no leat records
// where they were named, or the format of a path is not known; SystemError.
SourceLocation find_source(const std::string& uri);

// A dataset to read.
struct NamedSource {
  std::string split;  // empty: it is all that there is, or the one that was asked for
  SourceLocation location;
};

// The datasets that `uri` names: its splits (see find_splits()), or the one called `split`, or else what find_source()
// finds. Throws ArgumentError where there is no such split, or it cannot be told what is one; SystemError.
std::vector<NamedSource> find_sources(const std::string& uri, const std::optional<std::string>& split);

// Throws ArgumentError where nothing lies at the path. A pattern of names, with {000..123} in it, is taken as it is.
void require_something(const std::string& path);

}  // namespace leat::detail
