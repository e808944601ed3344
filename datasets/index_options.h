/// \file
/// Where indexes of files are kept.
#pragma once

#include <filesystem>

#include "leat/datasets/export.h"
#include "leat/datasets/warning.h"

namespace leat {

/// Where the index of a file is kept. It is made by reading through the file once.
enum class IndexPlace {
  cache,  ///< In IndexOptions::folder; if that is empty, in $LEAT_CACHE_DIR, $XDG_CACHE_HOME/leat or ~/.cache/leat.
  beside,   ///< Beside the indexed file.
  nowhere,  ///< Nowhere: it is made each time that the file is opened.
};

/// How indexes are kept.
struct LEAT_EXPORT IndexOptions {
  IndexPlace place = IndexPlace::cache;  ///< Where they are kept.
  std::filesystem::path folder{};        ///< The folder of IndexPlace::cache; empty: see there.
  /// Told once per file that an index could not be kept, which costs time only. See WarningHandler.
  WarningHandler on_warning{};
};

}  // namespace leat
