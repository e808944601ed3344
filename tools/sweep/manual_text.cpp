#include "tools/sweep/manual_text.h"

#include "tools/common/standard_tables.h"

namespace leat::tools {

// The description is given with the options, because it explains them.
ProgramText sweep_manual() {
  return {
      .summary = "measures loading with each number of workers and recommends one",
      .description = {},
      .tables = {data_uri_table(), environment_table()},
      .examples =
          {{"How many workers load these images fastest, as a model with 224 x 224 input gets them",
            "leat-sweep --data ~/data/imagenet --batch-size 256"},
           {"Four numbers of workers, ten seconds each, and the results as JSON",
            "leat-sweep --data synthetic:2000 --num-workers 0,1,2,4 --seconds 10 --json sweep.json"},
           {"The same as a page with charts for a browser, and what another format or a cache would change",
            "leat-sweep --data ~/data/imagenet --report sweep.html"},
           {"Does another format load faster", "leat-sweep --data leat:/fast/imagenet-records"}},
      .see_also = {"leat-train", "leat-convert"}};
}

}  // namespace leat::tools
