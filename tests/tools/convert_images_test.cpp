// PNGs, class names and contact sheets in leat-convert.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/records/record_source.h"
#include "leat/datasets/image/codecs/image_decoder.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image/codecs/png_chunks.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "leat/datasets/io/read_file.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/beton_bytes.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/support/conversions.h"
#include "tests/support/expect_error.h"
#include "tests/tools/run_convert.h"
#include "tools/common/command_line.h"
#include "tools/convert/contact_sheet.h"
#include "tools/convert/recoder.h"

namespace {

namespace fs = std::filesystem;
using namespace leat;
using namespace leat::detail;
using namespace leat::test;

const std::vector<std::string> kClasses{"ant", "bee", "cow"};

// In each class a JPEG and a PNG, flat: levels 40 (class 0, JPEG), 41 (class 0, PNG), 80, 81, 120, 121.
void write_images(const TemporaryFolder& folder) {
  for (int i = 0; i < 3; ++i) {
    const Image jpeg = image_of({40, 30}, [&](int, int, int) { return 40 * i + 40; });
    const Image png = image_of({300, 200}, [&](int, int, int) { return 40 * i + 41; });
    const std::string place = "src/" + kClasses[static_cast<std::size_t>(i)];
    folder.write(place + "/1.jpg", text_of(encode_jpeg(jpeg.view())));
    folder.write(place + "/2.png", text_of(encode_png(png.view())));
  }
}

ConvertOutcome run(const TemporaryFolder& folder, const std::string& arguments) {
  return run_convert(arguments, "cd " + folder.path().string() + "; LEAT_CACHE_DIR=cache ");
}

const std::vector<std::byte>& image(const RecordConversion& source, const Record& sample) {
  return sample.fields.at(source.schema().find("image").value());
}

}  // namespace

TEST_CASE("convert: PNGs and class names come through every format as they are", "[process]") {
  const TemporaryFolder folder;
  write_images(folder);
  for (const std::string step : {"src a --to webdataset", "a b", "b c --to mds", "c d"}) {
    const ConvertOutcome outcome = run(folder, step);
    INFO(step << "\n" << outcome.err);
    REQUIRE(outcome.code == 0);
  }
  const RecordConversion files = records_of_folder(folder / "src");
  for (const char* name : {"b", "d"}) {
    const RecordConversion records = records_of_set(folder / name);
    CHECK(records.schema().classes() == kClasses);
    REQUIRE(records.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) CHECK(image(records, records.read(i)) == image(files, files.read(i)));
  }
  CHECK(content_of(folder / "a/leat-classes.json") == R"({"classes":["ant","bee","cow"]})");
  CHECK(content_of(folder / "c/leat-classes.json") == R"({"classes":["ant","bee","cow"]})");
  for (const char* name : {"src", "a", "b", "c", "d"}) {
    const ConvertOutcome shown = run(folder, std::string("inspect ") + name);
    CHECK(shown.out.find("3 classes: ant, bee, cow\n") != std::string::npos);
    CHECK(shown.out.find("  1 bee  ######################################## 2\n") != std::string::npos);
    CHECK(run(folder, std::string("verify ") + name).code == 0);
  }
}

TEST_CASE("a PNG that is resized stays one, unless a JPEG's quality is asked for") {
  const RecordSchema schema(
      {{{"label", DType::i64, {}}, Content::values}, {Field::text("image", 1 << 20), Content::jpeg}});
  const Image image = image_of({300, 200}, [](int, int, int) { return 9; });
  const Record sample{{std::vector<std::byte>(8), encode_png(image.view())}};
  tools::ConvertOptions options;
  CHECK(tools::Recoder(schema, options).apply(sample).fields == sample.fields);
  options.resize = tools::parse_resize("max:30");
  const auto small = tools::Recoder(schema, options).apply(sample).fields[1];
  CHECK(is_png(small));
  CHECK(ImageDecoder().read_header(small) == Size{30, 20});
  options.quality = 80;
  CHECK_FALSE(is_png(tools::Recoder(schema, options).apply(sample).fields[1]));
}

TEST_CASE("convert: a .beton with JPEGs and raw pixels in one field, as FFCV writes by default",
          "[process]") {
  const TemporaryFolder folder;
  const std::string jpeg(text_of(encode_jpeg(image_of({16, 8}, ramp).view())));
  const Image raw = image_of({5, 3}, ramp);
  BetonBytes file{.columns = {{2, "image"}, {1, "label"}}, .rows = {}, .regions = {jpeg, {}, jpeg}};
  file.regions[1].assign(reinterpret_cast<const char*>(raw.view().data), 5 * 3 * 3);
  file.rows.resize(3, std::string(24, '\0'));
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_raw = i == 1;
    file.rows[i] = FileBytes()
                       .u8(is_raw ? 1 : 0)
                       .u16(is_raw ? 5 : 16)
                       .u16(is_raw ? 3 : 8)
                       .u64(file.region(i))
                       .zeros(3)
                       .u64(i)
                       .str();
  }
  folder.write("x.beton", file.str());
  for (const std::string step :
       {"verify x.beton", "x.beton a", "a b --to webdataset", "b c --to mds", "c d", "verify d"}) {
    const ConvertOutcome outcome = run(folder, step);
    INFO(step << "\n" << outcome.err);
    REQUIRE(outcome.code == 0);
  }
  for (const char* name : {"a", "d"}) {
    const RecordConversion records = records_of_set(folder / name);
    REQUIRE(records.size() == 3);
    for (const std::size_t i : {0U, 2U}) CHECK(text_of(image(records, records.read(i))) == jpeg);
    const Record sample = records.read(1);
    CHECK(is_png(image(records, sample)));
    ImageDecoder decoder;
    REQUIRE(decoder.read_header(image(records, sample)) == raw.size());
    const ImageView pixels = decoder.decode().pixels;
    for (int y = 0; y < 3; ++y) CHECK(std::equal(pixels.row(y), pixels.row(y) + 5 * 3, raw.view().row(y)));
  }
}

TEST_CASE("convert: a contact sheet shows the first samples, and text below", "[process]") {
  const TemporaryFolder folder;
  write_images(folder);
  folder.write("src/bee/1.jpg", "");
  const ConvertOutcome outcome = run(folder, "inspect src --contact-sheet sheet.png --samples 5");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out.find("1 samples cannot be read") != std::string::npos);
  std::vector<std::byte> file;
  read_file(folder / "sheet.png", 1 << 24, file);
  ImageDecoder decoder;
  constexpr Size kCell{136, 150};  // 128 and a gap of 4 on each side; below, a gap and a line of 10
  REQUIRE(decoder.read_header(file) == Size{3 * kCell.width, 2 * kCell.height});
  const ImageView sheet = decoder.decode().pixels;
  const auto middle = [&](int x, int y) {
    return sheet.pixel(x * kCell.width + 68, y * kCell.height + 68)[1];
  };
  CHECK(middle(0, 0) == 40);
  CHECK(middle(1, 0) == 41);
  CHECK(middle(2, 0) == 32);  // the damaged one: background
  CHECK(middle(0, 1) == 81);
  CHECK(middle(1, 1) == 120);
  CHECK(middle(2, 1) == 32);  // no sixth one
  // 40 x 30 is not scaled up: it has the rows from 4 + (128 - 30) / 2 on.
  CHECK(sheet.pixel(68, 53)[0] == 40);
  CHECK(sheet.pixel(68, 52)[0] == 32);
  // "ANT": the A's middle dot in its first row, and none beside it.
  CHECK(sheet.pixel(4 + 2, 136)[0] == 255);
  CHECK(sheet.pixel(4, 136)[0] == 32);
  CHECK(run(folder, "inspect src --contact-sheet src/sheet.png").code == 2);
  CHECK(run(folder, "inspect src --contact-sheet nowhere/sheet.png").code == 2);
  CHECK_FALSE(fs::exists(folder / "src/sheet.png"));
}

TEST_CASE("a contact sheet needs images, and takes raw pixels as well as files") {
  const TemporaryFolder folder;
  write_images(folder);
  class Pixels final : public SampleSource {
   public:
    explicit Pixels(RecordSchema schema) : schema_(std::move(schema)) {}
    std::size_t size() const override { return 1; }
    const RecordSchema* schema() const noexcept override { return &schema_; }
    void read(std::size_t, const FieldChoice&, StoredSample& sample) const override {
      sample.clear();
      sample.add(schema_.fields()[0].name, Encoding::bytes).memory().assign(2 * 4 * 3, std::byte{7});
    }
    std::string describe(std::size_t) const override { return "pixels"; }
    std::optional<std::uint64_t> fingerprint() const override { return 0; }

   private:
    RecordSchema schema_;
  };
  const auto conversion_of = [](RecordSchema schema) {
    return RecordConversion(std::make_shared<Pixels>(std::move(schema)));
  };
  const Image sheet =
      tools::contact_sheet(conversion_of(RecordSchema({{{"image", DType::u8, {2, 4, 3}}, Content::rgb}})), 9);
  CHECK(sheet.size() == Size{136, 150});
  CHECK(sheet.view().pixel(4 + 64 + 1, 4 + 64)[0] == 7);
  CHECK(sheet.view().pixel(4 + 64 + 2, 4 + 64)[0] == 32);
  const RecordConversion numbers = conversion_of(RecordSchema({{{"x", DType::u8, {24}}, Content::values}}));
  expect_error<tools::UsageError>([&] { tools::contact_sheet(numbers, 9); }, {"images"});
}
