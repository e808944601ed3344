// What readers keep from one sample to the next, for each thread: memory, zstd's contexts, a dictionary. No sample may
// show what was read before it.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/beton/beton.h"
#include "leat/datasets/formats/mds/mds.h"
#include "leat/datasets/formats/records/record_codec.h"
#include "leat/datasets/formats/records/shard_parts.h"
#include "leat/datasets/formats/tar/tar_index.h"
#include "leat/datasets/formats/tfrecord/tfrecord.h"
#include "leat/datasets/formats/webdataset/webdataset.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "leat/datasets/image_dataset.h"
#include "leat/datasets/map.h"
#include "leat/datasets/record_dataset.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/beton_bytes.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/mds_bytes.h"
#include "tests/datasets/support/small_datasets.h"
#include "tests/datasets/support/tar_bytes.h"
#include "tests/datasets/support/tfrecord_bytes.h"
#include "tests/support/memory_file.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

namespace fs = std::filesystem;

// Reads one thing, and says in bytes what it was, or what was wrong with it.
using Read = std::function<std::string()>;

std::string result_of(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

// In a thread that has read nothing yet.
std::string result_alone(const Read& read) {
  std::string result;
  std::thread([&] { result = result_of(read); }).join();
  return result;
}

void check_any_order(const std::vector<Read>& reads) {
  std::vector<std::string> alone;
  std::size_t errors = 0;
  for (const Read& read : reads) {
    alone.push_back(result_alone(read));
    errors += alone.back().starts_with("error: ");
  }
  REQUIRE(errors > 0);
  REQUIRE(errors <= reads.size() / 2);
  Rng rng(1, 0, 0);
  std::size_t different = 0, before = reads.size();
  for (int step = 0; step < 3000; ++step) {
    const auto i = static_cast<std::size_t>(rng.below(reads.size()));
    if (result_of(reads[i]) != alone[i] && ++different <= 3)
      UNSCOPED_INFO("step " << step << ": read " << i << " after " << before);
    before = i;
  }
  CHECK(different == 0);
}

void add_source(std::vector<Read>& reads, const std::shared_ptr<const SampleSource>& source) {
  for (std::size_t i = 0; i < source->size(); ++i) {
    reads.emplace_back([=] {
      thread_local StoredSample sample;
      source->read(i, {}, sample);
      std::string text;
      for (const StoredField& field : sample.fields())
        text += field.name + ' ' + to_string(field.encoding) + ' ' + std::string(field.text()) + '\n';
      return text;
    });
  }
}

void add_dataset(std::vector<Read>& reads, const std::shared_ptr<const Dataset>& dataset) {
  for (std::size_t i = 0; i < dataset->size(); ++i) {
    reads.emplace_back([=] {
      const OneSample sample(*dataset, i);
      std::string text;
      for (std::size_t field = 0; field < dataset->schema().size(); ++field)
        text += std::string(text_of(sample.bytes(field))) + '\n';
      return text;
    });
  }
}

std::string pil(int width, int height, std::string_view mode, char level) {
  const auto pixels = static_cast<std::size_t>(width * height) * (mode == "L" ? 1 : 3);
  return FileBytes()
      .u32(static_cast<std::uint32_t>(width))
      .u32(static_cast<std::uint32_t>(height))
      .u32(static_cast<std::uint32_t>(mode.size()))
      .text(mode)
      .text(std::string(pixels, level))
      .str();
}

void write_mds(const TemporaryFolder& folder) {
  const MdsColumns columns{R"(["i","y"])", R"(["pil","int"])", "[null,8]"};
  std::vector<std::string> bodies;
  for (const std::string& image : {pil(9, 7, "RGB", 'a'), pil(30, 20, "L", 'b'), pil(8, 8, "L", 'c'),
                                   pil(8, 8, "HSV", 'd'), pil(16, 9, "RGB", 'e')}) {
    bodies.push_back(
        FileBytes().u32(static_cast<std::uint32_t>(image.size())).text(image).u64(bodies.size()).str());
  }
  bodies.push_back(bodies.back().substr(0, 20));
  const std::string shard = mds_shard(columns, bodies);
  folder.write("s.mds", shard);
  folder.write("index.json", mds_index({mds_entry(columns, bodies.size(), "s.mds", shard.size())}));
}

std::string damaged_tfrecord(std::string_view data) {
  std::string record = tfrecord(data);
  record.back() = static_cast<char>(record.back() ^ 1);
  return record;
}

BetonBytes beton_images() {
  const auto cell = [](unsigned mode, unsigned width, unsigned height, std::uint64_t offset) {
    return FileBytes().u8(mode).u16(width).u16(height).u64(offset).zeros(3).u64(width).str();
  };
  BetonBytes beton{.columns = {{2, "image"}, {1, "label"}},
                   .rows = std::vector<std::string>(4, std::string(24, '\0')),
                   .regions = {std::string(300, 'j'), std::string(2 * 3 * 3, 'p'), std::string(3, 'q')}};
  beton.rows = {cell(0, 16, 8, beton.region(0)), cell(1, 2, 3, beton.region(1)),
                cell(1, 1, 1, beton.region(2)), cell(1, 5, 5, beton.region(1))};
  return beton;
}

// Short texts that are alike, so that they get a dictionary; some of them are then damaged.
void write_texts(const fs::path& folder, const std::string& wording, bool damage) {
  RecordWriter writer(folder, RecordSchema({{Field::text("text", 300), Content::text}}),
                      {.zstd = RecordWriterOptions::Zstd::on});
  for (std::size_t i = 0; i < 500; ++i)
    writer.add({{bytes_of(wording + std::to_string(i * 37 % 1000) + wording + std::to_string(i))}});
  writer.finish();
  if (!damage) return;
  const fs::path path = folder / "shard-00000.leat";
  std::string content = content_of(path);
  ShardFooter footer;
  std::memcpy(&footer, content.data() + content.size() - kFooterBytes, sizeof footer);
  for (std::size_t at = 0; at < 1000; at += 100) content[footer.data_offset + at] ^= 1;
  replace_content(path, content);
}

Read compress(const std::shared_ptr<const RecordCompressor>& compressor, std::size_t length) {
  return [=] {
    std::vector<std::byte> body(length), frame;
    for (std::size_t i = 0; i < length; ++i) body[i] = std::byte(i * i / 7 % 50);
    compressor->compress(body, frame);
    return std::string(text_of(frame));
  };
}

}  // namespace

TEST_CASE("a sample of a foreign format has the same fields, whatever was read before it") {
  const TemporaryFolder web, tf, mds, beton;
  TarBytes tar;
  for (int i = 0; i < 6; ++i) {
    const std::string key = std::to_string(i);
    tar.add({key + ".cls", key})
        .add({key + ".txt", std::string(static_cast<std::size_t>(200 - 30 * i), 't')});
    if (i % 2 == 0) tar.add({key + ".json", "{}"});
  }
  web.write("a.tar", tar.end().str());
  const std::string sound = example({int_feature("a", {1, -2}), bytes_feature("d", {"x", "yz"})});
  tf.write("a.tfrecord", tfrecord(sound) + damaged_tfrecord(std::string(500, 'x')) +
                             tfrecord(example({float_feature("f", {0.5F})})) + tfrecord("no example") +
                             tfrecord(example({})) + tfrecord(sound));
  write_mds(mds);
  std::vector<Read> reads;
  add_source(reads, std::make_shared<WebDatasetSource>(
                        web.path(), WebDatasetOptions{.index = {.place = IndexPlace::nowhere}}));
  add_source(reads, std::make_shared<TfRecordSource>(
                        tf.path(), TfRecordOptions{.index = {.place = IndexPlace::nowhere}}));
  const auto images = std::make_shared<MdsSource>(mds.path());
  add_source(reads, images);
  add_dataset(
      reads, std::make_shared<ImageDataset>(images, Resize(4, 5), ImageDatasetOptions{.fields = {"i", "y"}}));
  add_source(reads, std::make_shared<BetonSource>(beton.write("a.beton", beton_images().str())));
  check_any_order(reads);
}

TEST_CASE("a record unpacks to the same bytes, whatever dictionary and record came before it") {
  const TemporaryFolder folder;
  write_texts(folder / "a", "the harbour is closed in winter; ", true);
  write_texts(folder / "b", "front left camera, exposure 1/", false);
  write_mixed(folder / "c", 20, {.zstd = RecordWriterOptions::Zstd::off});
  write_mixed(folder / "d", 20, {.zstd = RecordWriterOptions::Zstd::on});
  std::vector<Read> reads;
  for (const char* name : {"a", "b", "c", "d"}) {
    const auto records = std::make_shared<RecordDataset>(folder / name);
    add_dataset(reads, records);
  }
  check_any_order(reads);
}

TEST_CASE("a body is compressed to the same frame, whatever level and dictionary came before it") {
  std::vector<std::vector<std::byte>> bodies;
  for (std::size_t i = 0; i < 500; ++i)
    bodies.push_back(bytes_of("camera front-left, exposure 1/" + std::to_string(i * 37 % 1000)));
  const std::vector<std::byte> dictionary = train_dictionary(bodies);
  REQUIRE_FALSE(dictionary.empty());
  std::vector<Read> reads;
  for (const int level : {1, 3, 9}) {
    for (const bool shared : {false, true}) {
      const auto compressor = std::make_shared<RecordCompressor>(
          Compression{true, level, shared ? dictionary : std::vector<std::byte>()});
      for (const std::size_t length : {0U, 50U, 5000U}) reads.push_back(compress(compressor, length));
    }
  }
  const auto decompressor = std::make_shared<RecordDecompressor>(dictionary);
  reads.emplace_back([=] {  // a frame that is none, between sound ones
    std::vector<std::byte> body(40);
    decompressor->decompress(std::vector<std::byte>(30, std::byte{7}), body);
    return std::string(text_of(body));
  });
  check_any_order(reads);
}

TEST_CASE("an archive has the same index, whatever archive was scanned before it") {
  TarBytes sound, longer, bad;
  sound.add({"a/0.cls", "3"}).add({"a/0.jpg", "xyz"}).end();
  longer.pax("path", "b/1.txt")
      .add({"x", "text"})
      .add({.name = "././@LongLink", .data = "n.json", .type = 'L'});
  longer.add({"n", "{}"}).add({"m", "{}"}).end();
  bad.pax("path", "b/1.txt").pax("size", "99");
  std::vector<Read> reads;
  for (const TarBytes& tar : {sound, longer, bad}) {
    const auto file = std::make_shared<MemoryFile>(tar.str());
    reads.emplace_back([=] { return std::string(text_of(TarIndex::scan(FileReader(file->path())))); });
  }
  check_any_order(reads);
}

TEST_CASE("a mapped sample has the same fields, whatever was mapped in its memory before") {
  const auto texts = std::make_shared<Texts>(20);
  const auto map = std::make_shared<Map>(
      *texts, Schema({Field::text("copy", 16), {"tokens", DType::i64, {}}}),
      [](const SampleView& in, SampleWriter& out, Rng&) {
        if (in.text("text") == "text 7") throw DataError("text 7", "it is refused");
        out.set_text("copy", in.text("text"));
        out.set("tokens", static_cast<std::int64_t>(in.values<std::int32_t>("tokens").size()));
      });
  std::vector<Read> reads;
  add_dataset(reads, map);
  check_any_order(reads);
}

}  // namespace leat::test
