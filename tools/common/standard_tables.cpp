#include "tools/common/standard_tables.h"

namespace leat::tools {

ManualTable data_uri_table() {
  return {"Data URIs",
          {{"PATH",
            "A folder with one sub-folder of JPEG or PNG files for each class, a folder of leat records, or "
            "a folder with such folders as train/ and test/ or val/; also data of another format, if the "
            "names of its files tell which"},
           {"imagefolder:PATH", "A folder of images, said explicitly"},
           {"classes:PATH", "A folder whose sub-folders are the classes, even if one is called train"},
           {"leat:PATH", "leat records with images and labels, in PATH or in its train/"},
           {"webdataset:PATH", "WebDataset shards: a folder of .tar files, or a path with {000..123} in it"},
           {"tfrecord:PATH", "TFRecord files of tf.train.Example: a folder, or a path with {000..123} in it"},
           {"mds:PATH", "MosaicML shards: a folder with index.json"},
           {"beton:PATH", "An FFCV file"},
           {"manifest:PATH", "A .csv or .tsv file of paths and labels"},
           {"idx:PATH", "A folder of IDX files, as MNIST has them"},
           {"cifar10:PATH", "The folder of CIFAR-10's binary version"},
           {"cifar100:PATH", "The folder of CIFAR-100's binary version"},
           {"synthetic:N",
            "N generated images of ten classes, at least 50, made once and kept in LEAT_CACHE_DIR"}}};
}

ManualTable environment_table(const std::vector<std::pair<std::string, std::string>>& more) {
  ManualTable table{
      "Environment",
      {{"LEAT_CACHE_DIR",
        "The folder for generated images and indices of shards (default: leat/ in $XDG_CACHE_HOME or "
        "~/.cache)"},
       {"LEAT_TRACE", "A file to write a trace of workers, slots and consumer into, for ui.perfetto.dev"}}};
  table.rows.insert(table.rows.end(), more.begin(), more.end());
  return table;
}

}  // namespace leat::tools
