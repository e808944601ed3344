#include "tests/interleaving/stepped_dataset.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "tests/interleaving/simulation.h"

namespace leat::interleaving {

SteppedDataset::SteppedDataset(std::size_t size, BadOnes bad)
    : size_(size), bad_(bad), schema_({{"a", DType::u32, {}}, {"b", DType::u32, {}}}) {}

void SteppedDataset::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  Simulation& simulation = Simulation::current();
  simulation.begin_row(out.bytes(0).data(), index);
  out.set<std::uint32_t>(0, rng());
  simulation.step();
  if (bad_.poison == index) simulation.die();
  if (bad_.throws != index) out.set<std::uint32_t>(1, rng());
  simulation.end_row();
  if (bad_.throws == index) throw std::runtime_error("bad");
}

bool holds(const std::byte* data, std::size_t offset_of_second, std::size_t row, std::uint64_t epoch,
           std::uint64_t index) {
  Rng rng(kSeed, epoch, index);
  for (const std::size_t offset : {std::size_t{0}, offset_of_second}) {
    std::uint32_t value = 0;
    std::memcpy(&value, data + offset + row * sizeof value, sizeof value);
    if (value != rng()) return false;
  }
  return true;
}

bool guilty(std::uint64_t index, std::size_t limit) {
  const auto may_be = [&](const Death& death) {
    return !death.begun || death.begun == index || !death.inside;
  };
  const auto& deaths = Simulation::current().deaths();
  return static_cast<std::size_t>(std::count_if(deaths.begin(), deaths.end(), may_be)) >= limit;
}

}  // namespace leat::interleaving
