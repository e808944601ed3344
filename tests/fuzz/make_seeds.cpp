// make_seeds FOLDER: small sound inputs for every fuzz target, in FOLDER/<target>/, by the tests' own writers.
#include <cstdio>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/tar/tar_index.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "leat/datasets/io/new_file.h"
#include "leat/loader/loader_state.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/jpeg_files.h"
#include "tests/datasets/support/beton_bytes.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/gzip.h"
#include "tests/datasets/support/mds_bytes.h"
#include "tests/datasets/support/png_bytes.h"
#include "tests/datasets/support/tar_bytes.h"
#include "tests/datasets/support/tfrecord_bytes.h"
#include "tests/support/memory_file.h"

namespace {

using namespace leat;
using namespace leat::detail;
using namespace leat::test;

// Writes one seed after the other.
class Seeds {
 public:
  explicit Seeds(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, std::string_view content) {
    std::filesystem::create_directories(folder_ / target);
    write_new_file(folder_ / target / ("seed-" + std::to_string(count_++)),
                   std::as_bytes(std::span(content)));
  }

 private:
  std::filesystem::path folder_;
  int count_ = 0;
};

void add_tar(Seeds& seeds) {
  TarBytes tar;
  tar.add({"a/0.cls", "3"}).add({"a/0.jpg", "xyz"}).pax("path", "b/1.txt").add({"x", "text"});
  tar.add({.name = "././@LongLink", .data = std::string(120, 'n') + ".json", .type = 'L'}).add({"n", "{}"});
  seeds.add("tar", tar.pax("size", "4").add({.name = "c.x", .data = "1234", .size_field = "0"}).end().str());
  const MemoryFile file(tar.str());
  seeds.add("tar_index", text_of(TarIndex::scan(FileReader(file.path()))));
}

void add_tfrecord(Seeds& seeds) {
  const std::string message = example({int_feature("a", {1, -2}), int_feature("b", {3}, false),
                                       float_feature("c", {0.5F}), bytes_feature("d", {"x", "yz"})});
  seeds.add("tf_example", message);
  seeds.add("tfrecord", tfrecord(message) + tfrecord(example({bytes_feature("d", {"\xff\xd8\xff"})})));
}

void add_idx(Seeds& seeds) {
  const auto idx = FileBytes().big(std::uint16_t{0}).u8(0x0b).u8(2).big(2U).big(2U).text("abcdefgh");
  seeds.add("idx", idx);
  seeds.add("idx", gzipped(idx));
}

void add_beton(Seeds& seeds) {
  BetonBytes beton{{{1, "n"}, {2, "i"}, {3, "b"}, {4, "a", array_arguments({2}, "|u1")}},
                   {std::string(48, '\0')},
                   {"jpg", "by", "12"}};
  const auto image = FileBytes().u8(0).u16(1).u16(1).u64(beton.region(0)).str();
  beton.rows[0] =
      FileBytes().u64(7).text(image).u64(beton.region(1)).u64(2).zeros(3).u64(beton.region(2)).str();
  seeds.add("beton", beton.str());
}

void add_mds(Seeds& seeds) {
  const std::string shard = mds_shard(vector_columns(), vector_bodies()), zip = zstd_compressed(shard);
  const auto input = [](const std::string& index, std::string_view content) {
    return FileBytes().u16(static_cast<unsigned>(index.size())).text(index).text(content).str();
  };
  seeds.add("mds", input(mds_index({mds_entry(vector_columns(), 2, "s.mds", shard.size())}), shard));
  seeds.add("mds",
            input(mds_index({mds_entry(vector_columns(), 2, "s.mds", shard.size(), zip.size())}), zip));
}

void add_jpeg(Seeds& seeds) {
  const auto image = image_of({24, 17}, formula);
  for (const ChromaSampling chroma : {ChromaSampling::full, ChromaSampling::half}) {
    const auto jpeg = encode_jpeg(image.view(), {.quality = 50, .chroma = chroma});
    seeds.add("jpeg", "0" + std::string(text_of(jpeg)));
    seeds.add("jpeg", "1" + std::string(text_of(jpeg)));
  }
}

void add_png(Seeds& seeds) {
  const auto value = [](int x, int y, int sample) {
    return static_cast<unsigned>(formula(x, y, sample)) & 15U;
  };
  for (const bool interlaced : {false, true}) {
    for (const PngKind kind : {PngKind::gray, PngKind::palette}) {
      const std::string colors = png_chunk("PLTE", std::string(48, 'c')) + png_chunk("tRNS", "t");
      seeds.add("png", "2" + png_file({.size = {13, 9},
                                       .kind = kind,
                                       .depth = 4,
                                       .interlaced = interlaced,
                                       .value = value,
                                       .before = kind == PngKind::palette ? colors : ""}));
    }
    const std::string turned = png_chunk("eXIf", std::string("II*\0\x08\0\0\0", 8));
    seeds.add("png", "3" + png_file({.size = {24, 17},
                                     .kind = PngKind::rgb_alpha,
                                     .depth = 16,
                                     .interlaced = interlaced,
                                     .value = value,
                                     .before = turned}));
  }
}

// Every file behind every other one: each has its turn in both places.
void add_image_pairs(Seeds& seeds) {
  const Image image = image_of({24, 17}, formula);
  const auto whole = encode_jpeg(image.view(), {.quality = 50});
  const std::vector<Bytes> files{whole,
                                 without_segments(whole, {0xdb}),
                                 without_segments(whole, {0xc4}),
                                 optimized_jpeg(image, 20),
                                 progressive_jpeg(image),
                                 encode_png(image.view())};
  for (const Bytes& first : files) {
    for (const Bytes& second : files) {
      const auto length = static_cast<std::uint16_t>(first.size());
      seeds.add("image_pair", FileBytes().u8(1).big(length).text(text_of(first)).text(text_of(second)));
    }
  }
}

void add_texts(Seeds& seeds) {
  seeds.add("manifest", "path,label\n\"a \"\"b\"\".jpg\",cat\r\nc.jpg,dog\n");
  seeds.add("manifest", "x.jpg,1\ny.jpg,-2\n");
  LoaderState state{.epoch = 3,
                    .batches = 17,
                    .samples = 4352,
                    .ahead = {{19, 256}},
                    .earlier = {{{0, 512}, {600, 700}}, 4, 612},
                    .order = "random: 50000 samples, seed 1"};
  seeds.add("loader_state", state.to_json());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: make_seeds FOLDER\n", stderr), 2;
  try {
    Seeds seeds(argv[1]);
    for (const auto add :
         {add_tar, add_tfrecord, add_idx, add_beton, add_mds, add_jpeg, add_png, add_image_pairs, add_texts})
      add(seeds);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "make_seeds: %s\n", error.what()), 1;
  }
  return 0;
}
