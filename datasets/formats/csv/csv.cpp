#include "leat/datasets/formats/csv/csv.h"

#include <fmt/format.h>

#include "leat/datasets/errors.h"

namespace leat::detail {

CsvReader::CsvReader(std::string_view text, char delimiter, std::string_view source)
    : text_(text), delimiter_(delimiter), source_(source) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.starts_with(kByteOrderMark)) position_ = kByteOrderMark.size();
}

void CsvReader::fail(const char* problem) const {
  throw DataError(fmt::format("{}, line {}", source_, row_line_), problem);
}

bool CsvReader::at_line_end() const noexcept {
  return position_ == text_.size() || text_[position_] == '\n' || text_.substr(position_).starts_with("\r\n");
}

void CsvReader::end_line() noexcept {
  if (position_ == text_.size()) return;
  position_ += text_[position_] == '\r' ? 2 : 1;
  ++line_;
}

const std::vector<std::string>* CsvReader::next() {
  while (position_ < text_.size() && at_line_end()) end_line();
  if (position_ == text_.size()) return nullptr;
  row_line_ = line_;
  read_row();
  return &cells_;
}

void CsvReader::read_row() {
  cells_.clear();
  while (true) {
    read_cell(cells_.emplace_back());
    if (at_line_end()) return end_line();
    ++position_;  // the delimiter
  }
}

void CsvReader::read_cell(std::string& cell) {
  if (position_ < text_.size() && text_[position_] == '"') return read_quoted(cell);
  const std::size_t start = position_;
  while (!at_line_end() && text_[position_] != delimiter_) ++position_;
  cell = text_.substr(start, position_ - start);
}

void CsvReader::read_quoted(std::string& cell) {
  ++position_;
  while (true) {
    if (position_ == text_.size()) fail("a quote is not closed");
    const char c = text_[position_++];
    if (c == '\n') ++line_;
    if (c != '"') {
      cell += c;
    } else if (position_ < text_.size() && text_[position_] == '"') {
      cell += text_[position_++];
    } else {
      break;
    }
  }
  if (!at_line_end() && text_[position_] != delimiter_) fail("text follows a closing quote");
}

}  // namespace leat::detail
