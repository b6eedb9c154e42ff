import { memo, useEffect, useRef } from "react";
import { isKnotted, useMarkdown } from "./useMarkdown";

/** Text with Markdown, safe whatever it says. Blocks that have not changed are not drawn again. */
export function Markdown({ text }: { text: string }) {
  const module = useMarkdown();
  if (module === null || isKnotted(text)) return <p className="plain-text">{text}</p>;
  return (
    <div className="markdown">
      {module.blocks(text).map((block, index) => (
        <Block key={index} text={block} html={module.markdown} />
      ))}
    </div>
  );
}

interface BlockProps {
  text: string;
  html(text: string): string;
}

const Block = memo(function Block({ text, html }: BlockProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const code = element.current?.querySelectorAll<HTMLElement>("pre > code");
    if (code?.length) void import("./highlight").then((module) => code.forEach(module.highlightElement));
  });
  return <div ref={element} dangerouslySetInnerHTML={{ __html: html(text) }} />;
});
