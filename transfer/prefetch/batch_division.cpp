#include "leat/transfer/prefetch/batch_division.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/base/checked.h"

namespace leat::detail {
namespace {

void check_devices(const std::vector<Device*>& devices, std::size_t rows) {
  if (devices.empty()) throw ArgumentError("a prefetcher needs a device");
  for (auto device = devices.begin(); device != devices.end(); ++device) {
    if (std::find(devices.begin(), device, *device) != device)
      throw ArgumentError(fmt::format("{} is listed twice among a prefetcher's devices", (*device)->name()));
  }
  const std::size_t used = chunk_rows(rows, devices.size()).size();
  if (used < devices.size()) {
    throw ArgumentError(
        fmt::format("batches of {} rows cannot be divided among {} devices: in chunks of {} they reach the "
                    "first {} only, "
                    "and {} would never get a row",
                    rows, devices.size(), divide_up(rows, devices.size()), used, devices[used]->name()));
  }
}

// Returns the device that gets the whole field; null if the field is cut.
Device* own_device(const std::string& field, const PrefetcherOptions& options) {
  const auto found = std::find_if(options.placements.begin(), options.placements.end(),
                                  [&](const FieldPlacement& placement) { return placement.field == field; });
  return found == options.placements.end() ? nullptr : found->device;
}

void check_placements(const Schema& schema, const PrefetcherOptions& options) {
  for (const FieldPlacement& placement : options.placements) {
    schema.index_of(placement.field);  // throws if there is none
    if (placement.device == nullptr)
      throw ArgumentError(fmt::format("no device is given for field \"{}\"", placement.field));
    if (own_device(placement.field, options) != placement.device)
      throw ArgumentError(fmt::format("field \"{}\" is given two devices", placement.field));
  }
}

void check_bounds(const Schema& schema, const PrefetcherOptions& options) {
  for (const RaggedBound& bound : options.ragged_bounds) {
    const Field& field = schema[schema.index_of(bound.field)];
    if (!field.is_ragged()) {
      throw ArgumentError(fmt::format("field \"{}\" has the fixed shape {}, so no bound of elements applies",
                                      field.name, to_string(field.shape)));
    }
    if (bound.elements == 0)
      throw ArgumentError(fmt::format("the bound of elements of field \"{}\" is 0", field.name));
  }
}

void check_mapped(const Schema& schema, const PrefetcherOptions& options) {
  for (auto name = options.mapped.begin(); name != options.mapped.end(); ++name) {
    const Field& field = schema[schema.index_of(*name)];  // throws if there is none
    if (field.is_ragged()) {
      throw ArgumentError(fmt::format(
          "field \"{}\" is ragged, so it cannot be mapped: only fields of fixed shape can be", *name));
    }
    if (std::find(options.mapped.begin(), name, *name) != name)
      throw ArgumentError(fmt::format("field \"{}\" is listed twice in PrefetcherOptions::mapped", *name));
  }
}

bool is_mapped(const std::string& field, const PrefetcherOptions& options) {
  return std::ranges::find(options.mapped, field) != options.mapped.end();
}

std::size_t max_elements(const Field& field, std::size_t rows, const PrefetcherOptions& options) {
  std::size_t elements = checked_multiply(rows, field.max_length.value_or(0));
  for (const RaggedBound& bound : options.ragged_bounds) {
    if (bound.field == field.name) elements = std::min(elements, bound.elements);
  }
  return elements;
}

}  // namespace

BatchDivision::BatchDivision(const BatchLayout& slot, std::vector<Device*> devices,
                             const PrefetcherOptions& options)
    : devices_(std::move(devices)), cut_(devices_.size()) {
  const Schema& schema = slot.schema();
  check_devices(devices_, slot.capacity());
  check_placements(schema, options);
  check_bounds(schema, options);
  check_mapped(schema, options);
  for (const FieldPlacement& placement : options.placements) {
    if (std::find(devices_.begin(), devices_.end(), placement.device) == devices_.end())
      devices_.push_back(placement.device);
  }
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    const std::vector<HeldField> held = fields_of(device, slot, options);
    if (held.empty()) {
      throw ArgumentError(
          fmt::format("every field has a device of its own, so {} would get none", devices_[device]->name()));
    }
    has_own_.push_back(std::any_of(held.begin(), held.end(), [](const HeldField& h) { return h.is_whole; }));
    layouts_.emplace_back(slot, devices_[device]->name(), held);
  }
  transforms_.resize(devices_.size());
  for (const FieldNormalization& normalization : options.normalize) add(normalization);
  for (const BatchTransform& transform : options.transforms) add(transform);
}

// Adds a transform on each device that has what it is made of; if none has, the first one says what it has.
void BatchDivision::add(const BatchTransform& transform) {
  bool applies = false;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (!TransformSteps::applies(transform, layouts_[device])) continue;
    transforms_[device].add(transform, layouts_[device]);
    applies = true;
  }
  if (!applies) transforms_[0].add(transform, layouts_[0]);
}

std::vector<HeldField> BatchDivision::fields_of(std::size_t device, const BatchLayout& slot,
                                                const PrefetcherOptions& options) const {
  const std::size_t chunk = divide_up(slot.capacity(), cut_);
  std::vector<HeldField> held;
  for (std::size_t field = 0; field < slot.schema().size(); ++field) {
    const Field& of = slot.schema()[field];
    const Device* const own = own_device(of.name, options);
    const bool is_held = own == nullptr ? device < cut_ : own == devices_[device];
    if (!is_held) continue;
    const std::size_t rows = own == nullptr ? chunk : slot.capacity();
    held.push_back({.field = field,
                    .is_whole = own != nullptr,
                    .is_mapped = is_mapped(of.name, options),
                    .rows = rows,
                    .max_elements = of.is_ragged() ? max_elements(of, rows, options) : 0});
  }
  return held;
}

std::vector<RowRange> BatchDivision::chunks(std::size_t rows) const {
  std::vector<RowRange> chunks = chunk_rows(rows, cut_);
  chunks.resize(cut_, RowRange{rows, rows});
  chunks.resize(devices_.size(), RowRange{0, rows});
  return chunks;
}

}  // namespace leat::detail
