/** The page's side of code.worker.ts. */
export type Prepared = { kind: "coloured"; html: string } | { kind: "lines"; lines: string[] };

/** Have a text made ready to be shown; returns what gives it up. */
export function prepare(text: string, language: string | null, done: (prepared: Prepared) => void): () => void {
  const worker = new Worker(new URL("./code.worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<Prepared>) => {
    worker.terminate();
    done(data);
  };
  // Without colours it can be shown all the same.
  worker.onerror = () => done({ kind: "lines", lines: text.split("\n") });
  worker.postMessage({ text, language });
  return () => worker.terminate();
}
