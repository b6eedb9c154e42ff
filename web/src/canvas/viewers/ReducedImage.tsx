import { useEffect, useRef, useState } from "react";

import { DownloadButton } from "../DownloadButton";
import type { Item } from "../item";
import { NotShown } from "../Shown";
import type { Dimensions } from "./dimensions";
import type { Reduced } from "./reduce.worker";

const LONGEST_SIDE = 2_048;

interface ReducedImageProps {
  item: Item;
  bytes: Uint8Array<ArrayBuffer>;
  dimensions: Dimensions;
}

/** An image of which the page holds a smaller copy, made by a worker. */
export function ReducedImage({ item, bytes, dimensions: { width, height } }: ReducedImageProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<"loading" | "there" | "broken">("loading");
  useEffect(() => {
    const worker = new Worker(new URL("./reduce.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Reduced>) => {
      worker.terminate();
      if (data.bitmap && canvas.current) draw(canvas.current, data.bitmap);
      setState(data.bitmap ? "there" : "broken");
    };
    worker.onerror = () => setState("broken");
    worker.postMessage({ blob: new Blob([bytes], { type: item.mime }), width, height, longest: LONGEST_SIDE });
    return () => worker.terminate();
  }, [bytes, item.mime, width, height]);
  if (state === "broken") return <NotShown item={item} why="This image cannot be shown: it is damaged." />;
  return (
    <>
      <p className="viewer-cut" role="note">
        A smaller copy of {width} × {height} pixels is shown. <DownloadButton item={item} label="Download the image" />
      </p>
      {state === "loading" && <p className="viewer-note">Loading…</p>}
      <section className="viewer-image" tabIndex={0} aria-label={item.title}>
        <canvas ref={canvas} role="img" aria-label={item.description ?? item.title} />
      </section>
    </>
  );
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
}
