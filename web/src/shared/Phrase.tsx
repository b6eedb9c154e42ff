import { Fragment, type ReactNode } from "react";

interface PhraseProps {
  /** A text with places such as `{name}`, whose order differs between languages. */
  text: string;
  parts: Readonly<Record<string, ReactNode>>;
}

/** A sentence of the catalog with elements in it. */
export function Phrase({ text, parts }: PhraseProps) {
  return text.split(/\{(\w+)\}/).map((piece, index) => <Fragment key={index}>{index % 2 ? parts[piece] : piece}</Fragment>);
}
