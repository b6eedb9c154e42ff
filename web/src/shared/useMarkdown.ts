/** Markdown, loaded when the first text is there; until then the text stands as it is. */
import { useEffect, useState } from "react";

type Module = typeof import("./markdown");

let loaded: Module | null = null;

/** Return the module, or null until it is there. */
export function useMarkdown(): Module | null {
  const [found, setFound] = useState(loaded);
  useEffect(() => {
    if (found !== null) return;
    let wanted = true;
    void import("./markdown").then((module) => {
      loaded = module;
      if (wanted) setFound(module);
    });
    return () => {
      wanted = false;
    };
  }, [found]);
  return found;
}

const MOST_MARKS = 1_000;

/** Tell whether emphasis in one paragraph is so nested that finding its pairs would hold the page up. */
export function isKnotted(text: string): boolean {
  return text.split(/\n\s*\n/).some((paragraph) => (paragraph.match(/[*_~]/g)?.length ?? 0) > MOST_MARKS);
}
