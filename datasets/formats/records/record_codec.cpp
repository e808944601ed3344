#include "leat/datasets/formats/records/record_codec.h"

#include <fmt/format.h>
#include <zdict.h>
#include <zstd.h>

#include <new>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr std::size_t kDictionaryBytes = 112'640;  // zstd's own default
constexpr std::size_t kDictionaryHelps =
    32'768;  // mean bytes of a record; longer ones fill zstd's tables themselves
constexpr double kWorthwhile = 0.90, kWorthADictionary = 0.95;

template <auto release>
struct Release {
  template <class T>
  void operator()(T* object) const noexcept {
    release(object);
  }
};
using CompressionContext = std::unique_ptr<ZSTD_CCtx, Release<ZSTD_freeCCtx>>;
using DecompressionContext = std::unique_ptr<ZSTD_DCtx, Release<ZSTD_freeDCtx>>;
using CompressionDictionary = std::unique_ptr<ZSTD_CDict, Release<ZSTD_freeCDict>>;
using DecompressionDictionary = std::unique_ptr<ZSTD_DDict, Release<ZSTD_freeDDict>>;

template <class T>
T made(T object) {
  if (!object) throw std::bad_alloc();
  return object;
}

void require(std::size_t result, const char* what) {
  if (ZSTD_isError(result)) throw Error(fmt::format("{}: {}", what, ZSTD_getErrorName(result)));
}

ZSTD_CCtx* fresh_context() {
  thread_local const CompressionContext context = made(CompressionContext(ZSTD_createCCtx()));
  ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  // The index holds the size and the checksum, and the header's checksum covers the dictionary, so frames need none.
  for (const auto parameter : {ZSTD_c_contentSizeFlag, ZSTD_c_checksumFlag, ZSTD_c_dictIDFlag}) {
    require(ZSTD_CCtx_setParameter(context.get(), parameter, 0), "zstd's parameters");
  }
  return context.get();
}

std::vector<std::vector<std::byte>> every_other(std::span<const std::vector<std::byte>> bodies,
                                                std::size_t first) {
  std::vector<std::vector<std::byte>> chosen;
  for (std::size_t i = first; i < bodies.size(); i += 2) chosen.push_back(bodies[i]);
  return chosen;
}

std::size_t compressed_bytes(std::span<const std::vector<std::byte>> bodies, const Compression& how) {
  const RecordCompressor compressor(how);
  std::vector<std::byte> frame;
  std::size_t sum = 0;
  for (const auto& body : bodies) sum += compressor.compress(body, frame) ? frame.size() : body.size();
  return sum;
}

}  // namespace

struct RecordCompressor::Dictionary {
  CompressionDictionary zstd;
};

struct RecordDecompressor::Dictionary {
  DecompressionDictionary zstd;
};

std::vector<std::byte> train_dictionary(std::span<const std::vector<std::byte>> bodies) {
  std::vector<std::byte> all;
  std::vector<std::size_t> sizes;
  for (const auto& body : bodies) {
    all.insert(all.end(), body.begin(), body.end());
    sizes.push_back(body.size());
  }
  std::vector<std::byte> dictionary(kDictionaryBytes);
  const std::size_t bytes = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), all.data(),
                                                  sizes.data(), static_cast<unsigned>(sizes.size()));
  dictionary.resize(ZDICT_isError(bytes) ? 0 : bytes);  // an error: too few samples, or they are too similar
  return dictionary;
}

Compression measure_compression(std::span<const std::vector<std::byte>> bodies, int level) {
  // A dictionary compresses the records that it was trained on too well, so it is measured with other records.
  const std::vector<std::vector<std::byte>> learned = every_other(bodies, 0), judged = every_other(bodies, 1);
  std::size_t raw = 0;
  for (const auto& body : judged) raw += body.size();
  const Compression none, plain{true, level, {}};
  const std::size_t alone = compressed_bytes(judged, plain);
  Compression shared{true, level, {}};
  if (raw <= kDictionaryHelps * judged.size()) shared.dictionary = train_dictionary(learned);
  if (!shared.dictionary.empty()) {
    const std::size_t together = compressed_bytes(judged, shared);
    const bool pays = double(together) < kWorthADictionary * double(alone);
    if (pays && double(together) < kWorthwhile * double(raw)) return shared;
  }
  return double(alone) < kWorthwhile * double(raw) ? plain : none;
}

RecordCompressor::RecordCompressor(const Compression& compression) : level_(compression.level) {
  if (level_ < 1 || level_ > ZSTD_maxCLevel()) {
    throw ArgumentError(fmt::format("zstd has levels 1 to {}, not {}", ZSTD_maxCLevel(), level_));
  }
  if (compression.dictionary.empty()) return;
  CompressionDictionary made_of(
      ZSTD_createCDict(compression.dictionary.data(), compression.dictionary.size(), level_));
  dictionary_ = std::make_unique<Dictionary>(made(std::move(made_of)));
}

RecordCompressor::~RecordCompressor() = default;

bool RecordCompressor::compress(std::span<const std::byte> body, std::vector<std::byte>& frame) const {
  ZSTD_CCtx* const context = fresh_context();
  require(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level_), "zstd's level");
  if (dictionary_) require(ZSTD_CCtx_refCDict(context, dictionary_->zstd.get()), "zstd's dictionary");
  frame.resize(ZSTD_compressBound(body.size()));
  const std::size_t bytes = ZSTD_compress2(context, frame.data(), frame.size(), body.data(), body.size());
  require(bytes, "compressing a record");
  frame.resize(bytes);
  return bytes < body.size();
}

RecordDecompressor::RecordDecompressor(std::vector<std::byte> dictionary) : bytes_(std::move(dictionary)) {
  if (bytes_.empty()) return;
  DecompressionDictionary made_of(ZSTD_createDDict(bytes_.data(), bytes_.size()));
  if (!made_of) throw Error("its dictionary is damaged");
  dictionary_ = std::make_unique<Dictionary>(std::move(made_of));
}

RecordDecompressor::~RecordDecompressor() = default;

void RecordDecompressor::decompress(std::span<const std::byte> frame, std::span<std::byte> body) const {
  thread_local const DecompressionContext context = made(DecompressionContext(ZSTD_createDCtx()));
  const std::size_t bytes =
      ZSTD_decompress_usingDDict(context.get(), body.data(), body.size(), frame.data(), frame.size(),
                                 dictionary_ ? dictionary_->zstd.get() : nullptr);
  require(bytes, "decompressing a record");
  if (bytes != body.size())
    throw Error(fmt::format("it unpacks to {} bytes instead of {}", bytes, body.size()));
}

}  // namespace leat::detail
