#include "tools/train/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace leat::tools {

std::string epoch_line(std::size_t epoch, std::size_t epochs, const EpochReport& report) {
  return fmt::format(
      "epoch {:>{}}/{}  loss {:.5f}  accuracy {:5.1f} %  test accuracy {:5.1f} %  {:>7.0f} samples/s  waited "
      "for data "
      "{:4.1f} %",
      epoch + 1, fmt::formatted_size("{}", epochs), epochs, report.train.loss, report.train.accuracy * 100,
      report.test.accuracy * 100, report.train.samples_per_second, report.train.data_wait_share * 100);
}

std::string summary(const RunReport& report) {
  return fmt::format(
      "device         {} with {}\n"
      "replicas       {} in {}\n"
      "communicator   {}\n"
      "workers        {}\n"
      "test accuracy  {:.2f} %\n"
      "total time     {:.1f} s\n",
      report.device, report.math, report.replicas * static_cast<std::size_t>(report.processes),
      report.processes == 1 ? "one process" : fmt::format("{} processes", report.processes),
      report.communicator, report.num_workers, report.epochs.back().test.accuracy * 100, report.seconds);
}

std::string to_json(const RunReport& report) {
  nlohmann::ordered_json epochs = nlohmann::ordered_json::array();
  for (const auto& [train, test] : report.epochs) {
    epochs.push_back({{"loss", train.loss},
                      {"accuracy", train.accuracy},
                      {"test_loss", test.loss},
                      {"test_accuracy", test.accuracy},
                      {"samples_per_second", train.samples_per_second},
                      {"data_wait_share", train.data_wait_share}});
  }
  const nlohmann::ordered_json all{{"device", report.device},
                                   {"math", report.math},
                                   {"processes", report.processes},
                                   {"replicas", report.replicas},
                                   {"communicator", report.communicator},
                                   {"batch_size", report.batch_size},
                                   {"num_workers", report.num_workers},
                                   {"test_accuracy", report.epochs.back().test.accuracy},
                                   {"total_seconds", report.seconds},
                                   {"epochs", epochs}};
  return all.dump(2) + "\n";
}

}  // namespace leat::tools
