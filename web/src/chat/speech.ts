/** Text for a voice. Pure. */

/** Return Markdown without its marks and without blocks of code, which make no sense when heard. */
export function toSpeech(markdown: string): string {
  return markdown
    .replaceAll(/```[^]*?(```|$)/g, " ")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^[ \t]*(#+|>|[-*+]|\d+\.)[ \t]+/gm, "")
    .replaceAll(/[*_`~|]+/g, " ")
    .replaceAll(/[ \t]+/g, " ")
    .trim();
}
