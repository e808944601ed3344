// What is measured. Each function gives the figures of one subject.
#pragma once

#include <vector>

#include "bench/figure.h"

namespace leat::bench {

std::vector<Figure> first_batches();  // how soon the first batch is there
std::vector<Figure> fairness();       // what one slow sample holds up
std::vector<Figure> hand_over();      // next(), and the way from a worker to the consumer
std::vector<Figure> memory();         // of the workers, and of an order of a billion samples
std::vector<Figure> faults();         // recovery from a killed worker, end after a killed parent

}  // namespace leat::bench
