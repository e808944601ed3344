/// \file
/// leat for LibTorch: batches as at::Tensor, datasets of LibTorch's in worker processes, data-parallel training, and
/// pipelines.
/// See docs/libtorch.md.
///
/// <leat.h> does not include this header, which needs LibTorch (1.13 or newer); link leat::torch. Since the namespace
/// is called leat::torch, a source file that includes it must not say `using namespace leat` and use the namespace
/// torch, too.
#pragma once

#include "leat/torch/batch.h"
#include "leat/torch/batches.h"
#include "leat/torch/data_parallel.h"
#include "leat/torch/dataset.h"
#include "leat/torch/distributed_data_parallel.h"
#include "leat/torch/dtype.h"
#include "leat/torch/grad_scaler.h"
#include "leat/torch/parallel_apply.h"
#include "leat/torch/pipeline.h"
#include "leat/torch/replicate.h"
#include "leat/torch/scatter_gather.h"
#include "leat/torch/set.h"
#include "leat/torch/sharded_optimizer.h"
