// The measurements of leat-latency. Each function returns the figures of one subject.
#pragma once

#include <vector>

#include "bench/figure.h"

namespace leat::bench {

std::vector<Figure> first_batches();  // time until the first batch arrives
std::vector<Figure> fairness();       // delay caused by one slow sample
std::vector<Figure> hand_over();      // next(), and the way from a worker to the consumer
std::vector<Figure> memory();         // memory of the workers, and of an order of a billion samples
std::vector<Figure> faults();         // recovery from a killed worker, end after a killed parent

}  // namespace leat::bench
