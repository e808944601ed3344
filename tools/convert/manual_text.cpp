#include "tools/convert/manual_text.h"

#include "tools/common/standard_tables.h"

namespace leat::tools {
namespace {

ManualTable source_table() {
  ManualTable table = data_uri_table();
  table.heading = "Sources";
  std::erase_if(table.rows, [](const auto& row) { return row.first == "synthetic:N"; });
  return table;
}

}  // namespace

// The description is given with the options, because it explains them.
ProgramText convert_manual() {
  return {.summary = "converts data sets into shards that load by index, and looks into them",
          .description = {},
          .tables = {source_table(), environment_table()},
          .examples = {{"A folder of images into leat records, byte for byte",
                        "leat-convert ~/data/flowers /fast/flowers"},
                       {"Images scaled down so that they decode fast, checked when all is written",
                        "leat-convert ~/data/imagenet /fast/imagenet-256 --resize short:256 --verify"},
                       {"WebDataset shards into MDS shards of 128 MiB",
                        "leat-convert 'shards/train-{000..127}.tar' mds/train --to mds --shard-size 128MiB"},
                       {"What is in a data set, and how it looks",
                        "leat-convert inspect /fast/flowers --contact-sheet flowers.png"},
                       {"Is all of it readable, for a script", "leat-convert verify /fast/flowers --json"},
                       {"Go on after a full disk or a crash",
                        "leat-convert ~/data/flowers /fast/flowers --resume"}},
          .see_also = {"leat-sweep", "leat-train"}};
}

}  // namespace leat::tools
