// The tests of NCCL need four fake GPUs. The fake asks for their number when it is used first.
#include <cstdlib>

namespace {

[[maybe_unused]] const int set = ::setenv("LEAT_FAKE_GPUS", "4", 0);

}  // namespace
