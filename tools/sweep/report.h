// What leat-sweep prints.
#pragma once

#include <string>

#include "leat/loader/sweep_result.h"

namespace leat::tools {

// One line each, columns aligned.
std::string table_header();
std::string table_row(const SweepRun& run);

// What the columns mean, a line each.
std::string explain_table();

// "recommended number of workers: 2 ...", and why it is not to be relied on, if so.
std::string recommendation(const SweepResult& result);

// "round 1 of 5:" before the first round's first measurement, and " 2 workers 1337," and so on behind it.
std::string progress(const SweepRound& round, int rounds, bool is_first_of_round, bool is_last_of_round);

}  // namespace leat::tools
