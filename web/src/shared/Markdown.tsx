import { memo, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { enrichMarkdown } from "./enrichMarkdown";
import { copyText } from "./copyText";

type Renderer = typeof import("./renderMarkdown");

interface MarkdownProps {
  text: string;
  /** True while the text grows: its last block is then drawn without colors, formulas and diagrams. */
  isOpen?: boolean;
  /** Names of files that links in the text may open. */
  files?: readonly string[];
  onOpenFile?(name: string): void;
}

/** Render Markdown from any source as safe HTML. Only changed blocks render again, which keeps streaming fast. */
export function Markdown({ text, isOpen = false, files = NO_FILES, onOpenFile }: MarkdownProps) {
  const renderer = useRenderer();
  const fileNames = files.join("\n");
  const linkable = useMemo(() => new Set(fileNames.split("\n").filter(Boolean)), [fileNames]);
  const element = useMarkdownButtons<HTMLDivElement>(onOpenFile, renderer !== null);
  if (renderer === null) return <p className="plain-text">{text}</p>;
  const blocks = renderer.parseMarkdown(text, "chat");
  return (
    <div ref={element} className="markdown">
      {blocks.map((block, index) => (
        <Block
          key={index}
          html={block.html}
          isOpen={isOpen && index === blocks.length - 1}
          files={linkable}
          sanitize={renderer.sanitizeHtml}
        />
      ))}
    </div>
  );
}

const NO_FILES: readonly string[] = [];

/** Handle the buttons that are part of rendered Markdown: copy a block of code, open a file. Return the ref of its element. */
export function useMarkdownButtons<ElementT extends HTMLElement>(
  onOpenFile: ((name: string) => void) | undefined,
  isRendered: boolean,
): RefObject<ElementT | null> {
  const element = useRef<ElementT>(null);
  const openFile = useRef(onOpenFile);
  openFile.current = onOpenFile;
  useEffect(() => {
    const current = element.current;
    const onClick = ({ target }: MouseEvent): void => {
      const button = target instanceof Element ? target.closest("button") : null;
      if (button?.dataset["copy"]) void copyText(button.closest(".code-block")?.querySelector("code")?.textContent ?? "");
      if (button?.dataset["file"]) openFile.current?.(button.dataset["file"]);
    };
    current?.addEventListener("click", onClick);
    return () => current?.removeEventListener("click", onClick);
  }, [isRendered]);
  return element;
}

interface BlockProps {
  html: string;
  isOpen: boolean;
  files: ReadonlySet<string>;
  sanitize: Renderer["sanitizeHtml"];
}

const Block = memo(function Block({ html, isOpen, files, sanitize }: BlockProps) {
  const element = useRef<HTMLDivElement>(null);
  const safe = useMemo(() => sanitize(html, files), [html, files, sanitize]);
  useEffect(() => (element.current && !isOpen ? enrichMarkdown(element.current) : undefined), [safe, isOpen]);
  return <div ref={element} dangerouslySetInnerHTML={{ __html: safe }} />;
});

let loadedRenderer: Renderer | null = null;

/** Load the renderer, so that the first text needs not wait for it. */
export async function loadRenderer(): Promise<Renderer> {
  return (loadedRenderer ??= await import("./renderMarkdown"));
}

/** Return the lazily loaded renderer; null while it loads. */
function useRenderer(): Renderer | null {
  const [renderer, setRenderer] = useState(loadedRenderer);
  useEffect(() => {
    if (renderer !== null) return;
    let isMounted = true;
    void loadRenderer().then((module) => {
      if (isMounted) setRenderer(module);
    });
    return () => {
      isMounted = false;
    };
  }, [renderer]);
  return renderer;
}
