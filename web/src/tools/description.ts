/** The beginning of a tool's description, as plain text: servers write the names of arguments in `code` or ``code``. Pure. */

export function firstSentence(text: string): string {
  return /^[^\n]*?[.!?](?=\s|$)/.exec(toPlain(text))?.[0] ?? firstLine(text);
}

export function firstLine(text: string): string {
  return toPlain(text).split("\n", 1)[0] ?? "";
}

export function firstParagraph(text: string): string {
  return toPlain(text).split(/\n\s*\n/, 1)[0] ?? "";
}

function toPlain(text: string): string {
  return text.trim().replaceAll(/(`+)([^`]+)\1/g, "$2");
}
