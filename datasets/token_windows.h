/// \file
/// A dataset of windows of tokens from a flat file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "leat/datasets/dataset.h"
#include "leat/datasets/export.h"
#include "leat/datasets/index_options.h"

namespace leat {

/// How tokens are read and cut into windows.
struct LEAT_EXPORT TokenOptions {
  DType stored = DType::u16;  ///< The type in the file: u16 or u32.
  /// The type of the field: u16, i32, u32 or i64. It must be at least as wide as the stored type.
  DType delivered = DType::i64;
  /// Number of tokens in a window. A model's context plus one also gives the targets.
  std::size_t length = 1024;
  /// Number of tokens from the start of a window to the start of the next. Default: length.
  std::optional<std::size_t> stride = {};
  /// The token that ends each document and belongs to it. The ends are found by reading the file once, and the index
  /// is stored.
  std::optional<std::uint32_t> end_of_document = {};
  /// Instead of end_of_document: a file of little-endian u64 with the first token of each document, ascending from 0.
  std::filesystem::path document_starts = {};
  IndexOptions index = {};  ///< Where the index of documents is stored.
};

/// Delivers windows of a flat file of tokens. The file contains only little-endian u16 or u32 numbers, as nanoGPT and
/// Megatron write it. The only field is "tokens".
///
/// Without documents, window i consists of the tokens [i * stride, i * stride + length), and "tokens" is [length]. An
/// incomplete window at the end is dropped. With documents, no window contains tokens of two documents. Each document
/// has windows from its start to its last token, of which the last one may be short. "tokens" is then ragged, with at
/// most `length` elements.
///
/// get() takes one pread, directly into the batch. Takes 16 bytes of memory per document. Thread-safe.
class LEAT_EXPORT TokenWindows final : public Dataset {
 public:
  /// Opens a file. Throws ArgumentError if options contradict each other, DataError if the file is not a whole number
  /// of tokens or the starts of documents do not fit it, and SystemError if a file cannot be read.
  explicit TokenWindows(const std::filesystem::path& file, TokenOptions options = {});
  /// Copies share the state that was read from the files. Moving an object copies it.
  TokenWindows(const TokenWindows&) = default;
  /// Like the copy constructor.
  TokenWindows& operator=(const TokenWindows&) = default;
  ~TokenWindows() override = default;

  std::size_t size() const override;
  const Schema& schema() const override;
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override;
  std::optional<std::string> spec() const override;

  /// Returns the number of tokens in the file.
  std::uint64_t tokens() const noexcept;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace leat
