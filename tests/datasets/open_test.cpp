#include "leat/datasets/open.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "leat/datasets/cache.h"
#include "leat/datasets/concat.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/in_memory.h"
#include "leat/datasets/map.h"
#include "leat/datasets/record_dataset.h"
#include "leat/datasets/record_writer.h"
#include "leat/datasets/repeat.h"
#include "leat/datasets/spec/transform_spec.h"
#include "leat/datasets/subset.h"
#include "leat/datasets/token_windows.h"
#include "leat/datasets/zip.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/tar_bytes.h"
#include "tests/datasets/support/tfrecord_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using nlohmann::json;

// Of random transforms, too: the generator depends on the index alone.
void check_equal(const Dataset& a, const Dataset& b) {
  REQUIRE(a.size() == b.size());
  REQUIRE(a.schema().size() == b.schema().size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const OneSample one(a, i), other(b, i);
    INFO("sample " << i);
    for (std::size_t field = 0; field < a.schema().size(); ++field) {
      CHECK(a.schema()[field] == b.schema()[field]);
      CHECK(one.bytes(field) == other.bytes(field));
    }
  }
}

// Opened from its own description, a dataset is equal, and so is the description.
std::string check_round_trip(const Dataset& dataset) {
  const auto spec = dataset.spec();
  REQUIRE(spec.has_value());
  INFO(*spec);
  const auto again = open_dataset(*spec);
  check_equal(dataset, *again);
  CHECK(again->spec() == spec);
  CHECK(json::parse(*spec)["version"] == 1);
  return *spec;
}

std::string flat_jpeg(int level) {
  return std::string(
      text_of(encode_jpeg(image_of({40, 30}, [=](int x, int, int) { return level + x; }).view())));
}

// Two classes of three images.
std::string write_folder(const TemporaryFolder& folder, const std::string& name = "images") {
  for (int i = 0; i < 6; ++i)
    folder.write(name + (i % 2 == 0 ? "/cat/" : "/dog/") + std::to_string(i) + ".jpg", flat_jpeg(20 * i));
  return folder / name;
}

TransformPipeline every_transform() {
  return RandomResizedCrop(24, {0.3, 0.9}, {0.8, 1.25}, Filter::bicubic, FilterReach::image) |
         Resize(26, 28) | CenterCrop(20, 22) | RandomHorizontalFlip(0.25) | RandomVerticalFlip(0.75) |
         Pad({1, 2, 3, 4}, {5, 6, 7}, PaddingMode::reflect) |
         RandomCrop(18, 19, {.padding = {2, 1}, .pad_if_needed = true, .fill = {9, 8, 7}}) |
         ColorJitter(0.3, Interval{0.5, 0.75}, 0, 0.1) | Grayscale{} | RandomGrayscale(0.3) |
         RandomInvert(0.3) | RandomPosterize(3, 0.4) | RandomSolarize(100, 0.4) | RandomAutocontrast(0.4) |
         RandomEqualize(0.4) | RandomAdjustSharpness(1.7, 0.4) | RandAugment(3, 5, 11, {1, 2, 3}) |
         RandomErasing(0.6, {0.05, 0.2}, {0.5, 2.0}, {4, 5, 6}) |
         Normalize({0.485F, 0.456F, 0.406F}, {0.1F, 0.2F, 0.3F});
}

std::string at(const TemporaryFolder& folder, const std::string& name) {
  return folder / name;
}

void refused(const std::string& spec, std::initializer_list<std::string_view> fragments) {
  INFO(spec);
  expect_error<ArgumentError>([&] { open_dataset(spec); }, fragments);
}

}  // namespace

TEST_CASE("every transform comes back from its description with every parameter") {
  const TransformPipeline transforms = every_transform();
  const json array = to_json(transforms);
  REQUIRE(array.size() == std::variant_size_v<Transform>);
  CHECK(transforms_from(array, "x").transforms() == transforms.transforms());
  for (std::size_t i = 0; i < array.size(); ++i) {
    CHECK(transforms_from(json::array({array[i]}), "x").transforms() ==
          std::vector{transforms.transforms()[i]});
    json wrong = array[i];
    wrong["sizes"] = 1;
    expect_error<ArgumentError>([&] { transforms_from(json::array({wrong}), "transforms"); },
                                {"transforms[0]", "'sizes' is not known", "known are name"});
  }
  CHECK(transforms_from(to_json(Resize(256)), "x").transforms() == std::vector<Transform>{Resize(256)});
}

TEST_CASE("what a description leaves out has torchvision's defaults") {
  const auto opened = [](const char* text) { return transforms_from(json::parse(text), "x").transforms(); };
  CHECK(opened(R"([{"name": "RandomResizedCrop", "size": 224}])") ==
        std::vector<Transform>{RandomResizedCrop(224)});
  CHECK(opened(R"([{"name": "ColorJitter", "hue": 0.1}])") ==
        std::vector<Transform>{ColorJitter(0, 0, 0, 0.1)});
  CHECK(opened(R"([{"name": "RandomCrop", "size": [8, 9]}])") == std::vector<Transform>{RandomCrop(8, 9)});
  CHECK(opened(R"([{"name": "RandAugment"}, {"name": "RandomErasing"}])") ==
        std::vector<Transform>{RandAugment(), RandomErasing()});
  CHECK(opened(R"([{"name": "RandomHorizontalFlip"}])") == std::vector<Transform>{RandomHorizontalFlip()});
}

TEST_CASE("image datasets of every format come back from their descriptions") {
  const TemporaryFolder folder;
  const std::string images = write_folder(folder);
  folder.write("list.csv", "path,label\nimages/cat/0.jpg,cat\nimages/dog/1.jpg,dog\n");
  const std::string first = flat_jpeg(3), second = flat_jpeg(5);
  TarBytes tar;
  tar.add({"1.jpg", first}).add({"1.cls", "4"}).add({"2.jpg", second}).add({"2.cls", "6"}).end();
  folder.write("shards/0.tar", tar.str());
  folder.write("r.tfrecord",
               tfrecord(example({bytes_feature("image", {flat_jpeg(8)}), int_feature("label", {2})})));
  const std::string crop = R"("transforms": [{"name": "RandomCrop", "size": 16}, {"name": "RandAugment"}])";
  const std::string uncached = R"("options": {"index": "nowhere"})";
  for (const std::string& source :
       {"\"imagefolder:" + images + "\", \"decode\": {\"reducing_gap\": 2.5, \"max_scans\": 7}",
        '"' + images + '"', "\"manifest:" + at(folder, "list.csv") + "\", \"fields\": {\"label\": \"label\"}",
        "\"webdataset:" + at(folder, "shards") + "\", " + uncached,
        "\"" + at(folder, "shards/{0..0}.tar") + "\", " + uncached,
        "\"" + at(folder, "r.tfrecord") + "\", " + uncached}) {
    const auto dataset = open_dataset("{\"source\": " + source + ", " + crop + "}");
    check_round_trip(*dataset);
  }
  const ImageFolder files(images, every_transform(),
                          {.jpeg = {.allow_corrupt = true}, .max_file_bytes = 1 << 20});
  const json spec = json::parse(check_round_trip(files));
  CHECK(spec["decode"]["allow_corrupt"] == true);
  CHECK(spec["options"]["max_file_bytes"] == 1 << 20);
  CHECK(spec["source"] == "classes:" + images);
}

TEST_CASE("records and windows of tokens come back from their descriptions") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 20);
  const RecordDataset records(folder / "set");
  CHECK(json::parse(check_round_trip(records))["source"] == "leat:" + at(folder, "set"));
  check_equal(records, *open_dataset(at(folder, "set")));
  check_equal(records, *open_dataset("\n {\"source\": \"" + at(folder, "set") + "\"}\n"));
  FileBytes tokens;
  for (std::uint16_t i = 0; i < 50; ++i) tokens.little(static_cast<std::uint16_t>(i % 7));
  const std::string file = folder.write("tokens.bin", tokens.str());
  check_round_trip(TokenWindows(file, {.length = 8}));
  check_round_trip(TokenWindows(file, {.delivered = DType::u32,
                                       .length = 8,
                                       .stride = 3,
                                       .end_of_document = 6,
                                       .index = {IndexPlace::nowhere}}));
  check_round_trip(TokenWindows(file, {.length = 8, .end_of_document = 0, .index = {IndexPlace::nowhere}}));
  FileBytes starts;
  starts.u64(0).u64(20).u64(33);
  check_round_trip(
      TokenWindows(file, {.length = 9, .document_starts = folder.write("starts", starts.str())}));
  check_equal(TokenWindows(file, {.length = 5}),
              *open_dataset("{\"source\": \"tokens:" + file + "\", \"options\": {\"length\": 5}}"));
}

TEST_CASE("images that are stored as pixels of one size need no transforms") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", RecordSchema({{{"image", DType::u8, {2, 3, 3}}, Content::rgb},
                                                    {{"label", DType::i64, {}}, Content::values}}));
  for (int i = 0; i < 4; ++i) {
    writer.add(
        {{std::vector<std::byte>(18, static_cast<std::byte>(i)), bytes_of(std::vector<std::int64_t>{i})}});
  }
  writer.finish();
  const std::string uri = "leat:" + at(folder, "set");
  const ImageDataset images(open_source(uri));
  check_round_trip(images);
  check_equal(images, *open_dataset(uri));
  CHECK(images.label_of(3) == 3);
  // MNIST: gray becomes RGB.
  FileBytes idx, labels;
  idx.text(std::string("\0\0\x08\x03", 4)).text(std::string("\0\0\0\2\0\0\0\2\0\0\0\2", 12)).text("abcdefgh");
  labels.text(std::string("\0\0\x08\x01", 4)).text(std::string("\0\0\0\2", 4)).text(std::string("\1\0", 2));
  folder.write("mnist/t10k-images-idx3-ubyte", idx.str());
  folder.write("mnist/t10k-labels-idx1-ubyte", labels.str());
  const auto mnist = open_dataset("{\"source\": \"idx:" + at(folder, "mnist") + "\", \"split\": \"test\"}");
  CHECK(text_of(OneSample(*mnist, 1).bytes(0)) == "eeefffggghhh");
  CHECK(json::parse(check_round_trip(*mnist))["split"] == "test");
}

TEST_CASE("combinations come back from their descriptions, those of combinations too") {
  const TemporaryFolder folder;
  write_mixed(folder / "a", 12);
  write_mixed(folder / "b", 12);
  const auto a = std::make_shared<RecordDataset>(folder / "a"),
             b = std::make_shared<RecordDataset>(folder / "b");
  const Subset subset(a, {0, 1, 2, 7, 6, 5, 9, 10});
  const json spec = json::parse(check_round_trip(subset));
  CHECK(spec["indices"] == json::parse("[[0, 3], 7, 6, 5, [9, 2]]"));
  CHECK_FALSE(spec["subset"].contains("version"));
  check_round_trip(Subset(a, {}));
  check_round_trip(Repeat(a, 3));
  check_round_trip(Concat({a, b}));
  check_round_trip(Zip({{a, "x"}, {b, "y"}}));
  check_round_trip(Cache(a, 1 << 20, {.seed = 5}));
  const auto nested = std::make_shared<Concat>(std::vector<DatasetRef>{
      std::make_shared<Repeat>(std::make_shared<Subset>(a, std::vector<std::size_t>{3, 4}), 2), b});
  check_round_trip(Zip({{nested, "left"}, {std::make_shared<Cache>(nested, 1 << 16), "right"}}));
}

TEST_CASE("a combination owns the datasets that it shares") {
  const TemporaryFolder folder;
  write_mixed(folder / "a", 5);
  std::weak_ptr<const Dataset> watched;
  {
    auto records = std::make_shared<RecordDataset>(folder / "a");
    watched = records;
    const Repeat twice(std::move(records), 2);
    CHECK(twice.size() == 10);
    const Repeat copy = twice;
    CHECK(OneSample(copy, 7).bytes(0) == OneSample(twice, 2).bytes(0));
    CHECK_FALSE(watched.expired());
  }
  CHECK(watched.expired());
  expect_error<ArgumentError>([] { Repeat(std::shared_ptr<Dataset>(), 2); }, {"null"});
}

TEST_CASE("code and memory have no description, nor has what is made of them") {
  const InMemoryDataset memory({InMemoryDataset::column<std::int64_t>("x", {}, {1, 2, 3})});
  const MapInPlace map(memory, [](SampleWriter&, Rng&) {});
  for (const Dataset* dataset : {static_cast<const Dataset*>(&memory), static_cast<const Dataset*>(&map)}) {
    CHECK_FALSE(dataset->spec());
    CHECK_FALSE(Subset(*dataset, {0}).spec());
    CHECK_FALSE(Repeat(*dataset, 2).spec());
    CHECK_FALSE(Concat({*dataset}).spec());
    CHECK_FALSE(Zip({*dataset}).spec());
    CHECK_FALSE(Cache(*dataset, 1000).spec());
  }
}

TEST_CASE("descriptions that are wrong are refused by the place that is") {
  const TemporaryFolder folder;
  const std::string images = write_folder(folder);
  const std::string source = "{\"source\": \"classes:" + images + "\"";
  refused("{", {"dataset spec", "not JSON"});
  refused("{}", {"dataset spec", "'source' is missing"});
  refused(R"({"source": 3})", {"source", "number, not a string"});
  refused(R"({"version": 2, "source": "leat:x"})", {"version", "it is 2", "reads version 1"});
  refused(R"({"version": 0, "source": "leat:x"})", {"version", "it is 0", "reads version 1"});
  refused(source + R"(, "transform": []})", {"'transform' is not known", "transforms"});
  refused(source + R"(, "transforms": {}})", {"transforms", "object, not an array"});
  refused(source + R"(, "transforms": [3]})", {"transforms[0]", "number, not an object"});
  refused(source + R"(, "transforms": [{"name": "Crop"}]})", {"transforms[0].name", "'Crop'", "CenterCrop"});
  refused(source + R"(, "transforms": [{"name": "CenterCrop"}]})", {"transforms[0]", "'size' is missing"});
  refused(source + R"(, "transforms": [{"name": "CenterCrop", "size": -1}]})",
          {"transforms[0]", "CenterCrop", "-1"});
  refused(source + R"(, "transforms": [{"name": "CenterCrop", "size": 4294967304}]})",
          {"transforms[0].size", "whole number"});
  refused(source + R"(, "transforms": [{"name": "CenterCrop", "size": [1]}]})",
          {"transforms[0].size", "2 whole numbers"});
  refused(source + R"(, "transforms": [{"name": "Resize", "size": 8.5}]})",
          {"transforms[0].size", "whole number"});
  refused(source + R"(, "transforms": [{"name": "Resize", "size": 8, "filter": "cubic"}]})",
          {"transforms[0].filter", "'cubic'", "bicubic"});
  refused(source + R"(, "transforms": [{"name": "Pad", "padding": [1, 1, 1, 1], "fill": [0, 0, 256]}]})",
          {"transforms[0].fill", "0 to 255"});
  refused(source + R"(, "transforms": [{"name": "RandomInvert"}, {"name": "Resize", "size": 8}]})",
          {"transforms", "change their order"});
  refused(source + R"(, "options": {"allow_empty": 1}})", {"allow_empty", "not true or false"});
  refused(source + R"(, "options": {"index": "beside"}})", {"'index' is not known", "allow_empty"});
  refused(source + R"(, "decode": {"max_scans": "many"}})", {"decode.max_scans", "whole number"});
  refused(source + R"(, "decode": {"gap": 1}})", {"decode", "'gap' is not known"});
  refused(source + R"(, "fields": {"images": "x"}})", {"fields", "'images' is not known"});
  refused(source + "}", {"give transforms"});
  refused(source + R"(, "split": "val"})", {"'val'", images});
  refused(source + R"(, "split": ".."})", {"'..'", images});
  refused("{\"subset\": " + source +
              R"(, "transforms": [{"name": "CenterCrop", "size": 8}]}, "indices": [[4, 3]]})",
          {"indices", "element 0", "6 samples"});
  refused(
      "{\"subset\": " + source + R"(, "transforms": [{"name": "CenterCrop", "size": 8}]}, "indices": [-1]})",
      {"indices", "element 0"});
  refused("{\"repeat\": " + source + "}, \"times\": 2, \"seed\": 1}", {"give transforms"});
  refused("{\"concat\": [" + source + R"(, "transforms": []}]})", {"different sizes"});
  refused("nonsense:" + images, {"not known: nonsense", "webdataset:"});
  refused(images + "x", {"nothing at", images + "x"});
  folder.write("both/train/cat/1.jpg", flat_jpeg(1));
  folder.write("both/test/cat/1.jpg", flat_jpeg(2));
  refused("{\"source\": \"" + at(folder, "both") + "\", \"transforms\": []}",
          {"splits test, train", "\"split\""});
  const auto test = open_dataset("{\"source\": \"" + at(folder, "both") +
                                 R"(", "split": "test", "transforms": [{"name": "CenterCrop", "size": 8}]})");
  CHECK(test->size() == 1);
  CHECK(json::parse(check_round_trip(*test))["source"] == "classes:" + at(folder, "both/test"));
}

TEST_CASE("options that a format does not have are refused, of records that are delivered as they are, too") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 3);
  const std::string source =
      "{\"source\": \"leat:" + at(folder, "set") + "\", \"options\": {\"index\": \"cache\"}";
  refused(source + "}", {"dataset spec.options", "'index' is not known", "no keys"});
  refused("{\"repeat\": " + source + "}, \"times\": 2}",
          {"dataset spec.repeat.options", "'index' is not known"});
  expect_error<ArgumentError>([&] { open_source(source + "}"); }, {"dataset spec.options", "'index'"});
  refused("{\"source\": \"tokens:" + folder.write("tokens.bin", "12345678").string() +
              "\", \"options\": {\"size\": 2}}",
          {"dataset spec.options", "'size' is not known", "length"});
}

TEST_CASE("a path that JSON cannot hold has no description, and is read all the same") {
  const TemporaryFolder folder;
  write_mixed(folder / "s\xff", 3);
  const RecordDataset records(folder / "s\xff");
  CHECK(records.size() == 3);
  CHECK_FALSE(records.spec());
  CHECK_FALSE(Repeat(records, 2).spec());
  const std::string images = write_folder(folder, "i\xff");
  CHECK_FALSE(ImageFolder(images, CenterCrop(8)).spec());
  CHECK_FALSE(TokenWindows(folder.write("t\xff", "12345678"), {.length = 2}).spec());
}

TEST_CASE("folders in options are absolute in a description") {
  const TemporaryFolder folder;
  folder.write("r.tfrecord",
               tfrecord(example({bytes_feature("image", {flat_jpeg(8)}), int_feature("label", {2})})));
  const auto source = open_source("{\"source\": \"" + at(folder, "r.tfrecord") +
                                  "\", \"options\": {\"index_folder\": \"" + at(folder, "indexes") + "\"}}");
  CHECK(json::parse(source->spec().value())["options"]["index_folder"] == at(folder, "indexes"));
}

TEST_CASE("relative paths are absolute in a description, those in options, too") {
  const TemporaryFolder folder;
  const auto relative = [&](const char* name) {
    return (std::filesystem::relative(folder.path()) / name).string();
  };
  const auto absolute = [&](const char* name) { return std::filesystem::absolute(relative(name)).string(); };
  folder.write("mds/index.json", R"({"version": 2, "shards": []})");
  const auto source = open_source("{\"source\": \"mds:" + relative("mds") +
                                  "\", \"options\": {\"cache_folder\": \"" + relative("cache") + "\"}}");
  const json shards = json::parse(source->spec().value());
  CHECK(shards["source"] == "mds:" + absolute("mds"));
  CHECK(shards["options"]["cache_folder"] == absolute("cache"));
  folder.write("tokens.bin", "12345678");
  folder.write("starts", FileBytes().u64(0).u64(2));
  const TokenWindows windows(relative("tokens.bin"), {.length = 2, .document_starts = relative("starts")});
  const json tokens = json::parse(check_round_trip(windows));
  CHECK(tokens["source"] == "tokens:" + absolute("tokens.bin"));
  CHECK(tokens["options"]["document_starts"] == absolute("starts"));
}

TEST_CASE("how images are decoded comes back from a description, every key of it") {
  const TemporaryFolder folder;
  const ImageDataset images(open_source("classes:" + write_folder(folder)), CenterCrop(8),
                            {.fields = {},
                             .decode = {.limits = {.max_pixels = 5000,
                                                   .max_decoder_bytes = 1 << 26,
                                                   .max_scans = 7,
                                                   .allow_corrupt = true},
                                        .exif_orientation = true,
                                        .reducing_gap = 2.5}});
  const json wanted{{"max_pixels", 5000},    {"max_decoder_bytes", 1 << 26}, {"max_scans", 7},
                    {"allow_corrupt", true}, {"exif_orientation", true},     {"reducing_gap", 2.5}};
  CHECK(json::parse(check_round_trip(images))["decode"] == wanted);
}

TEST_CASE("leat records are recognized in a folder that holds the names of other formats, too") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 5);
  folder.write("set/0.tar", "");
  folder.write("set/index.json", "");
  check_equal(RecordDataset(folder / "set"), *open_dataset(at(folder, "set")));
}

TEST_CASE("one shard of records is opened whatever it is called") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 5);
  std::filesystem::rename(folder / "set/shard-00000.leat", folder / "shard");
  check_round_trip(RecordDataset(folder / "shard"));
}

TEST_CASE("a format that is named is looked for at the path itself first") {
  const TemporaryFolder folder;
  folder.write("both/index.json", R"({"version": 2, "shards": []})");
  folder.write("both/a.tar", "");
  folder.write("both/train/index.json", "this is not looked at");
  CHECK(open_source("mds:" + at(folder, "both"))->size() == 0);
}

TEST_CASE("combinations that are nested too deeply are refused") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 2);
  const auto nested = [&](int depth) {
    std::string spec;
    for (int i = 0; i < depth; ++i) spec += "{\"repeat\": ";
    spec += "\"leat:" + at(folder, "set") + "\"";
    for (int i = 0; i < depth; ++i) spec += ", \"times\": 1}";
    return spec;
  };
  CHECK(open_dataset(nested(60))->size() == 2);
  refused(nested(64), {"nested more than 64 deep"});
  refused(nested(100'000), {"nested more than 64 deep"});
}

TEST_CASE("what stands twice, holds a zero byte or is of another version is refused") {
  refused(R"({"source": "leat:a", "source": "leat:b"})", {"'source' stands twice"});
  refused(
      R"({"repeat": {"source": "a", "transforms": [{"name": "Resize", "size": 1, "size": 2}]}, "times": 1})",
      {"'size' stands twice"});
  refused(R"({"source": "leat:a\u0000b"})", {"source", "zero byte"});
  struct Later final : Dataset {
    std::size_t size() const override { return 1; }
    const Schema& schema() const override { return fields; }
    void get(std::size_t, Rng&, SampleWriter&) const override {}
    std::optional<std::string> spec() const override { return R"({"version": 7, "source": "leat:a"})"; }
    Schema fields{{{"x", DType::u8, {}}}};
  };
  const Later later;
  expect_error<ArgumentError>([&] { Repeat(later, 2).spec(); }, {"another version"});
}

TEST_CASE("a path is described as it was when the dataset was opened, links and all") {
  const TemporaryFolder folder;
  write_folder(folder, "a/train");
  write_folder(folder, "b/train");
  folder.write("b/train/cat/more.jpg", flat_jpeg(1));
  std::filesystem::create_directory_symlink(folder / "b/train", folder / "a/link");
  const ImageFolder behind(folder / "a/link/../train", CenterCrop(8));  // b/train
  CHECK(behind.size() == 7);
  check_round_trip(behind);
  folder.write("{0..1}.tar", TarBytes().add({"1.cls", "4"}).end().str());
  CHECK(open_source("webdataset:" + at(folder, "{0..1}.tar"))->size() == 1);
}

TEST_CASE("jitter that draws but changes nothing comes back as such") {
  const TemporaryFolder folder;
  ColorJitter jitter;
  jitter.brightness = Interval{1, 1};
  jitter.hue = Interval{0, 0};
  check_round_trip(
      ImageFolder(write_folder(folder), TransformPipeline(CenterCrop(8)) | jitter | RandomInvert(0.5)));
}

TEST_CASE("subsets of more indices than there is memory are refused before they are made") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 4);
  expect_error<MemoryError>(
      [&] {
        open_dataset("{\"subset\": {\"repeat\": \"leat:" + at(folder, "set") +
                     "\", \"times\": 461168601842738790}, \"indices\": [[0, 1152921504606846976]]}");
      },
      {"indices of a subset"});
}

}  // namespace leat::test
