/// \file
/// Options for storing indexes of files.
#pragma once

#include <filesystem>

#include "leat/datasets/export.h"
#include "leat/datasets/warning.h"

namespace leat {

/// Where the index of a file is stored. An index is built by reading the whole file once.
enum class IndexPlace {
  cache,    ///< In IndexOptions::folder or, if empty, $LEAT_CACHE_DIR, $XDG_CACHE_HOME/leat or ~/.cache/leat.
  beside,   ///< Next to the indexed file.
  nowhere,  ///< Not stored: the index is built each time the file is opened.
};

/// Options for storing indexes.
struct LEAT_EXPORT IndexOptions {
  IndexPlace place = IndexPlace::cache;  ///< Where indexes are stored.
  std::filesystem::path folder{};        ///< The folder of IndexPlace::cache; may be empty, see there.
  /// Called once per file whose index could not be stored, which only costs time. See WarningHandler.
  WarningHandler on_warning{};
};

}  // namespace leat
