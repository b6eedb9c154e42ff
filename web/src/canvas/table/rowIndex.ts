/**
 * Index of the rows of a delimited text, built from its bytes as they arrive.
 *
 * Not a parser library: parsed rows of a million-row file take a hundred times its size in memory, while the index takes
 * four bytes per row, and rows are parsed on demand. Quoting follows RFC 4180: a quote counts at the start of a field.
 */
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const INITIAL_CAPACITY = 1 << 16;

export class RowIndex {
  private starts = new Uint32Array(INITIAL_CAPACITY);
  /** Length of `starts` in use. */
  private startCount = 1;
  private length = 0;
  private inQuotes = false;
  private atFieldStart = true;
  private closed = false;

  constructor(
    private readonly delimiter: number,
    private readonly newline: number = LINE_FEED,
  ) {}

  /** Number of complete rows. */
  get count(): number {
    return this.closed ? this.startCount : this.startCount - 1;
  }

  /** Return the offset of a row's first byte, and the offset after its line ending. */
  getBounds(row: number): [number, number] {
    const end = row + 1 < this.startCount ? this.starts[row + 1] : this.length;
    return [this.starts[row] ?? 0, end ?? 0];
  }

  /** Scan the next bytes of the text. */
  append(bytes: Uint8Array): void {
    const { delimiter, newline } = this;
    let { inQuotes, atFieldStart } = this;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (inQuotes) {
        inQuotes = byte !== QUOTE;
      } else if (byte === newline) {
        this.addStart(this.length + index + 1);
        atFieldStart = true;
      } else if (byte === QUOTE) {
        // In a quoted field, a doubled quote is an escape and reopens the quotes; in others, it is a plain character.
        inQuotes = atFieldStart;
      } else {
        atFieldStart = byte === delimiter;
      }
    }
    this.inQuotes = inQuotes;
    this.atFieldStart = atFieldStart;
    this.length += bytes.length;
  }

  /** End the text: bytes after the last line ending form a row, too. */
  close(): void {
    this.closed = true;
    if (this.starts[this.startCount - 1] === this.length) this.startCount -= 1;
  }

  private addStart(start: number): void {
    if (this.startCount === this.starts.length) {
      const grown = new Uint32Array(this.starts.length * 2);
      grown.set(this.starts);
      this.starts = grown;
    }
    this.starts[this.startCount] = start;
    this.startCount += 1;
  }
}

/** Return true if a row has only a line ending. */
export function isBlank(bytes: Uint8Array, [start, end]: [number, number]): boolean {
  for (let index = start; index < end; index += 1) {
    if (bytes[index] !== LINE_FEED && bytes[index] !== CARRIAGE_RETURN) return false;
  }
  return true;
}
