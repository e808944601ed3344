#include "bench/cold_cache/cold_records.h"

#include "leat/datasets/formats/records/record_set.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/io/file_advice.h"
#include "leat/datasets/io/file_reader.h"
#include "leat/datasets/record_writer.h"
#include "leat/datasets/subset.h"
#include "leat/loader/data_loader.h"

namespace leat::bench {

using namespace detail;

namespace {

constexpr std::size_t kBatch = 64;

// Hides the dataset's prefetch() and read_ahead(), so that records are read only when they are needed.
class Unannounced final : public Dataset {
 public:
  explicit Unannounced(const Dataset& dataset) : dataset_(dataset) {}

  std::size_t size() const override { return dataset_.size(); }
  const Schema& schema() const override { return dataset_.schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override { dataset_.get(index, rng, out); }

 private:
  const Dataset& dataset_;
};

std::vector<std::byte> label_of(std::size_t index) {
  const auto label = static_cast<std::int64_t>(index);
  std::vector<std::byte> bytes(sizeof label);
  std::memcpy(bytes.data(), &label, sizeof label);
  return bytes;
}

std::vector<std::byte> random_bytes(std::size_t count, std::size_t index) {
  std::vector<std::byte> bytes(count);
  Rng rng(1, 0, index);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng());
  return bytes;
}

// Returns the index of the record that is sample `sample` of an epoch.
std::size_t chosen(std::size_t sample) {
  return kSpread * sample + sample % kSpread;
}

Subset one_of_each(const RecordDataset& records) {
  std::vector<std::size_t> indices(records.size() / kSpread);
  for (std::size_t sample = 0; sample < indices.size(); ++sample) indices[sample] = chosen(sample);
  return Subset(records, std::move(indices));
}

// Evicts one file. Tries repeatedly, because pages that are still being read stay.
bool evict(const std::filesystem::path& path, std::uint64_t first_record) {
  const FileReader file(path);
  for (int attempt = 0; attempt < 100; ++attempt) {
    leat::detail::evict(file.fd());
    if (!in_page_cache(file.fd(), first_record)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

double epoch_of(DataLoader& loader, std::size_t samples) {
  std::vector<bool> seen(samples, false);
  std::size_t delivered = 0;
  const auto began = std::chrono::steady_clock::now();
  while (const auto batch = loader.next()) {
    for (const std::int64_t label : (*batch)["label"].as<std::int64_t>()) {
      const auto index = static_cast<std::size_t>(label);
      const std::size_t sample = index / kSpread;
      if (index != chosen(sample) || sample >= samples || seen[sample]) {
        throw Error("an epoch delivered a sample twice, or a wrong one");
      }
      seen[sample] = true;
    }
    delivered += batch->size();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (delivered != samples) throw Error("an epoch lost samples");
  return static_cast<double>(samples) / took.count();
}

std::vector<std::byte> image_of(const SampleSource& source, std::size_t index) {
  StoredSample sample;
  source.read(index, FieldChoice({"image"}), sample);
  return sample.release(0);
}

}  // namespace

void write_records(const std::filesystem::path& folder, const RecordsToWrite& what) {
  std::filesystem::remove_all(folder);
  std::unique_ptr<ImageFolderSource> images;
  if (what.images) images = std::make_unique<ImageFolderSource>(*what.images);
  const std::size_t longest =
      images ? images->schema()->fields()[*images->schema()->find("image")].max_length.value() : what.bytes;
  RecordWriter writer(folder,
                      RecordSchema({{{"label", DType::i64, {}}, Content::values},
                                    {Field::text("image", longest), Content::bytes}}),
                      {.zstd = RecordWriterOptions::Zstd::off});
  for (std::size_t i = 0; i < kSpread * what.samples; ++i) {
    auto image = images ? image_of(*images, i % images->size()) : random_bytes(what.bytes, i);
    writer.add({{label_of(i), std::move(image)}});
  }
  writer.finish();
}

bool evict(const RecordDataset& records) {
  const RecordSet set(std::filesystem::path(records.describe(0)).parent_path());
  for (std::size_t shard = 0; shard < set.manifest().shards.size(); ++shard) {
    if (!evict(set.path_of(shard), set.shard(shard).footer().data_offset)) return false;
  }
  return true;
}

double measure(const RecordDataset& records, const Setting& setting, std::uint64_t seed) {
  const Subset samples = one_of_each(records);
  const Unannounced unannounced(samples);
  const Dataset& dataset = setting.reads_ahead ? static_cast<const Dataset&>(samples) : unannounced;
  DataLoader loader(dataset, {.batch_size = kBatch,
                              .shuffle = true,
                              .num_workers = setting.workers,
                              .seed = seed,
                              .on_warning = [](const std::string&) {}});
  if (setting.cold && !evict(records)) {
    throw Error("the file system keeps the records in memory: nothing here would be cold");
  }
  return epoch_of(loader, samples.size());
}

}  // namespace leat::bench
