#include "leat/loader/slots/slot_ledger.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/errors.h"

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("a slot goes from free through flight and lease back to free") {
  SlotLedger ledger(2);
  const std::size_t first = ledger.take();
  const std::size_t second = ledger.take();
  CHECK(first != second);
  CHECK_FALSE(ledger.has_free());
  CHECK_THROWS_AS(ledger.take(), InternalError);
  ledger.deliver(first);
  CHECK(ledger.leased() == 1);
  CHECK(ledger.in_flight() == 1);
  ledger.drain(second);
  CHECK(ledger.draining() == std::vector<std::size_t>{second});
  ledger.free(second);
  ledger.free(first);
  CHECK(ledger.take() == first);  // the last freed: its memory is warm
}

TEST_CASE("spare slots are given where no common one is free, and come back as spare ones") {
  SlotLedger ledger(1);
  ledger.add_spare();
  CHECK(ledger.size() == 2);
  CHECK(ledger.take() == 0);
  CHECK_FALSE(ledger.has_common());
  CHECK(ledger.take() == 1);
  CHECK_FALSE(ledger.has_free());
  ledger.free(0);
  ledger.free(1);
  CHECK(ledger.take() == 0);
  CHECK_FALSE(ledger.has_common());
  CHECK(ledger.has_free());
}

TEST_CASE("moves that the protocol does not have are refused") {
  SlotLedger ledger(1);
  CHECK_THROWS_AS(ledger.free(0), InternalError);
  CHECK_THROWS_AS(ledger.deliver(0), InternalError);
  ledger.take();
  ledger.deliver(0);
  CHECK_THROWS_AS(ledger.deliver(0), InternalError);
  CHECK_THROWS_AS(ledger.drain(0), InternalError);
  CHECK_THROWS_AS(ledger.free(1), InternalError);
}

}  // namespace
}  // namespace leat
