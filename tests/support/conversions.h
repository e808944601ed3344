// What is stored at a path, as records.
#pragma once

#include <filesystem>
#include <memory>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/record_conversion.h"
#include "leat/datasets/formats/records/record_source.h"

namespace leat::test {

inline leat::detail::RecordConversion records_of_set(const std::filesystem::path& set) {
  return leat::detail::RecordConversion(std::make_shared<leat::detail::RecordSource>(set));
}

inline leat::detail::RecordConversion records_of_folder(const std::filesystem::path& folder,
                                                        bool allow_empty = false) {
  return leat::detail::RecordConversion(std::make_shared<leat::detail::ImageFolderSource>(
      folder, leat::detail::ImageFolderSourceOptions{.allow_empty = allow_empty}));
}

}  // namespace leat::test
