/// \file
/// Windows of the tokens in a flat file.
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

/// How tokens are read, and cut into windows.
struct LEAT_EXPORT TokenOptions {
  DType stored = DType::u16;  ///< The type in the file: u16 or u32.
  /// The type of the field: u16, i32, u32 or i64, at least as wide as the stored one.
  DType delivered = DType::i64;
  /// Tokens of a window. One more than the context of a model delivers the targets, too.
  std::size_t length = 1024;
  /// Tokens from the start of a window to that of the next; default: length.
  std::optional<std::size_t> stride = {};
  /// The token that ends each document and belongs to it. The ends are found by reading the file once; the index is
  /// kept.
  std::optional<std::uint32_t> end_of_document = {};
  /// Instead of end_of_document: a file of little-endian u64, the first token of each document, ascending from 0.
  std::filesystem::path document_starts = {};
  IndexOptions index = {};  ///< Where the index of documents is kept.
};

/// Delivers windows of a flat file of tokens: little-endian u16 or u32 numbers and nothing else, as nanoGPT and
/// Megatron write them. The only field is "tokens".
///
/// Without documents, window i consists of the tokens [i * stride, i * stride + length), and "tokens" is [length]. An
/// incomplete window at the end is dropped. With documents, no window contains tokens of two: each document has windows
/// from its start to its last token, of which the last one may be short, and "tokens" is ragged, of at most `length`.
///
/// get() takes one pread, straight into the batch. Memory: 16 bytes per document. Thread-safe.
class LEAT_EXPORT TokenWindows final : public Dataset {
 public:
  /// Opens a file. Throws ArgumentError if options contradict each other; DataError if the file does not hold a whole
  /// number of tokens, or the starts of documents do not fit it; SystemError if a file cannot be read.
  explicit TokenWindows(const std::filesystem::path& file, TokenOptions options = {});
  /// A copy shares what was read of the files, and so does what is moved from.
  TokenWindows(const TokenWindows&) = default;
  /// As the constructor.
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
