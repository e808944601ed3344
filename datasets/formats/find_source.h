// Finds the datasets that a URI names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/formats/registry.h"

namespace leat::detail {

// Returns what `uri` names, whether or not it has splits. `uri` is FORMAT:PATH, with a scheme of the registry, or a
// path alone, whose format recognize_source() knows, or which else is an image folder. Throws ArgumentError if
// nothing exists there, if leat records were named and there are none, or if the format of a path is not known;
// SystemError.
SourceLocation find_source(const std::string& uri);

// A dataset to read.
struct NamedSource {
  std::string split;  // empty: it is the only dataset, or the one that was asked for
  SourceLocation location;
};

// Returns the datasets that `uri` names: its splits (see find_splits()), or the one called `split`, or else what
// find_source() finds. Throws ArgumentError if there is no such split, or if it is unclear what is a split;
// SystemError.
std::vector<NamedSource> find_sources(const std::string& uri, const std::optional<std::string>& split);

}  // namespace leat::detail
