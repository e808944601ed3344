// The text that leat-sweep prints.
#pragma once

#include <string>

#include "leat/loader/sweep_result.h"

namespace leat::tools {

// Return one line each, with aligned columns.
std::string table_header();
std::string table_row(const SweepRun& run);

// Explains the columns, one line each.
std::string explain_table();

// Returns "recommended number of workers: 2 ...", and the reasons not to trust it, if any.
std::string recommendation(const SweepResult& result);

// Returns " 2 workers 1337," and the like; "round 1 of 5:" precedes the first measurement of a round.
std::string progress(const SweepRound& round, int rounds, bool is_first_of_round, bool is_last_of_round);

}  // namespace leat::tools
