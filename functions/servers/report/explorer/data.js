/** A CSV file in memory: its columns, and its rows as texts. Nothing here touches the page. */

/** Return the records of a CSV text. Blank lines are left out. */
function parseCsv(text, delimiter) {
  const records = [];
  let record = [];
  let cell = "";
  let isQuoted = false;
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (let at = start; at <= text.length; at += 1) {
    const char = text[at];
    if (isQuoted) {
      if (char !== undefined && char !== '"') continue;
      cell += text.slice(start, at);
      start = at + 1;
      if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
        start = at + 1;
      } else isQuoted = false;
    } else if (char === '"' && at === start && cell === "") {
      isQuoted = true;
      start = at + 1;
    } else if (char === delimiter || char === "\n" || char === undefined) {
      const end = char !== delimiter && text[at - 1] === "\r" ? at - 1 : at;
      record.push(cell + text.slice(start, Math.max(start, end)));
      cell = "";
      start = at + 1;
      if (char === delimiter) continue;
      if (record.length > 1 || record[0].trim() !== "") records.push(record);
      record = [];
    }
  }
  return records;
}

/** Return the records as CSV with the same delimiter. */
function formatCsv(records, delimiter) {
  const special = new RegExp(`["\r\n${delimiter === "|" ? "\\|" : delimiter}]|^\\s*$`);
  const quote = (cell) => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return records.map((record) => `${record.map(quote).join(delimiter)}\n`).join("");
}

class Table {
  constructor(text, delimiter) {
    const [header = [], ...rows] = parseCsv(text, delimiter);
    this.delimiter = delimiter;
    this.names = header.map((name, index) => name.trim() || `column ${index + 1}`);
    this.rows = rows;
    this.isNumeric = this.names.map((_, column) => this.hasOnlyNumbers(column));
  }

  cell(row, column) {
    return this.rows[row][column] ?? "";
  }

  /** The number in a cell; NaN if it is text or empty. Files with the separator `;` write 1.5 as `1,5`. */
  number(row, column) {
    return this.toNumber(this.cell(row, column));
  }

  toNumber(text) {
    const trimmed = text.trim();
    return trimmed === "" ? NaN : Number(this.delimiter === ";" ? trimmed.replace(",", ".") : trimmed);
  }

  hasOnlyNumbers(column) {
    let filled = 0;
    for (let row = 0; row < this.rows.length; row += 1) {
      if (this.cell(row, column).trim() === "") continue;
      if (!Number.isFinite(this.number(row, column))) return false;
      filled += 1;
    }
    return filled > 0;
  }

  /** Return the numbers of the rows that match `filter` in a column, or in any if `column` is null. */
  filter(filter, column) {
    const matches = this.matcher(filter);
    const columns = column === null ? this.names.map((_, index) => index) : [column];
    const all = [...this.rows.keys()];
    return filter.trim() === "" ? all : all.filter((row) => columns.some((each) => matches(this.cell(row, each))));
  }

  matcher(filter) {
    const [, operator, operand] = /^\s*(>=|<=|!=|>|<|=)?\s*(.*?)\s*$/s.exec(filter);
    const text = operand.toLowerCase();
    const limit = this.toNumber(operand);
    const compare = { ">": (a) => a > limit, "<": (a) => a < limit, ">=": (a) => a >= limit, "<=": (a) => a <= limit };
    if (operator === "=") return (cell) => cell.trim().toLowerCase() === text;
    if (operator === "!=") return (cell) => cell.trim().toLowerCase() !== text;
    if (operator) return (cell) => compare[operator](this.toNumber(cell));
    return (cell) => cell.toLowerCase().includes(text);
  }

  /** Sort row numbers by a column: numbers by value, empty cells last. */
  sort(rows, column, isDescending) {
    const sign = isDescending ? -1 : 1;
    if (this.isNumeric[column]) {
      const values = new Map(rows.map((row) => [row, this.number(row, column)]));
      const rank = (value) => (Number.isNaN(value) ? Infinity : sign * value);
      return rows.toSorted((a, b) => (rank(values.get(a)) < rank(values.get(b)) ? -1 : rank(values.get(a)) > rank(values.get(b)) ? 1 : 0));
    }
    const { compare } = new Intl.Collator(undefined, { numeric: true });
    return rows.toSorted((a, b) => sign * compare(this.cell(a, column), this.cell(b, column)));
  }

  /** Return bars `{label, count}`: ranges of a column of numbers, or the ten most frequent texts. */
  bars(rows, column) {
    return this.isNumeric[column] ? this.ranges(rows, column) : this.frequencies(rows, column);
  }

  ranges(rows, column) {
    const numbers = rows.map((row) => this.number(row, column)).filter(Number.isFinite);
    if (numbers.length === 0) return [];
    const low = numbers.reduce((a, b) => Math.min(a, b));
    const high = numbers.reduce((a, b) => Math.max(a, b));
    const count = low === high ? 1 : 20;
    const bars = Array.from({ length: count }, (_, index) => {
      const edge = (position) => Number((low + ((high - low) * position) / count).toPrecision(6)).toLocaleString();
      return { label: `${edge(index)} to ${edge(index + 1)}`, count: 0 };
    });
    for (const number of numbers) {
      const share = high === low ? 0 : (number - low) / (high - low);
      bars[Math.min(count - 1, Math.floor(share * count))].count += 1;
    }
    return bars;
  }

  frequencies(rows, column) {
    const counts = new Map();
    for (const row of rows) counts.set(this.cell(row, column), (counts.get(this.cell(row, column)) ?? 0) + 1);
    const sorted = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 10);
    return sorted.map(([label, count]) => ({ label: label || "(empty)", count }));
  }
}
