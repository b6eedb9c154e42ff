/** The beginning of a tool's description, as plain text: servers write the names of arguments in `code` or ``code``. Pure. */

export function firstSentence(text: string): string {
  const paragraph = firstParagraph(text).replaceAll(/\s+/g, " ");
  return /^.*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
}

export function firstLine(text: string): string {
  return toPlain(text).split("\n", 1)[0] ?? "";
}

export function firstParagraph(text: string): string {
  return toPlain(text).split(/\n\s*\n/, 1)[0] ?? "";
}

/** "summarise_file" → "Summarise file". */
export function toWords(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function toPlain(text: string): string {
  return text.trim().replaceAll(/(`+)([^`]+)\1/g, "$2");
}
