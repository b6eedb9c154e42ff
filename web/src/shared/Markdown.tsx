import { memo, useEffect, useRef, useState } from "react";

type Renderer = typeof import("./renderMarkdown");

const MAX_EMPHASIS_MARKS = 1_000;

/** Render Markdown from any source as safe HTML. Only changed blocks render again, which keeps streaming fast. */
export function Markdown({ text }: { text: string }) {
  const renderer = useRenderer();
  if (renderer === null || hasTooMuchEmphasis(text)) return <p className="plain-text">{text}</p>;
  return (
    <div className="markdown">
      {renderer.splitBlocks(text).map((block, index) => (
        <Block key={index} text={block} render={renderer.renderMarkdown} />
      ))}
    </div>
  );
}

interface BlockProps {
  text: string;
  render(text: string): string;
}

const Block = memo(function Block({ text, render }: BlockProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const code = element.current?.querySelectorAll<HTMLElement>("pre > code");
    if (code?.length) void import("./highlight").then((module) => code.forEach(module.highlightElement));
  });
  return <div ref={element} dangerouslySetInnerHTML={{ __html: render(text) }} />;
});

let loadedRenderer: Renderer | null = null;

/** Return the lazily loaded renderer; null while it loads. */
function useRenderer(): Renderer | null {
  const [renderer, setRenderer] = useState(loadedRenderer);
  useEffect(() => {
    if (renderer !== null) return;
    let isMounted = true;
    void import("./renderMarkdown").then((module) => {
      loadedRenderer = module;
      if (isMounted) setRenderer(module);
    });
    return () => {
      isMounted = false;
    };
  }, [renderer]);
  return renderer;
}

/** Return true if one paragraph has so many emphasis marks that pairing them would block the page. */
export function hasTooMuchEmphasis(text: string): boolean {
  return text.split(/\n\s*\n/).some((paragraph) => (paragraph.match(/[*_~]/g)?.length ?? 0) > MAX_EMPHASIS_MARKS);
}
