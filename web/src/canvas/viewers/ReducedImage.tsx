import { useEffect, useRef, useState } from "react";
import { texts } from "../../texts";

import { DownloadButton } from "../DownloadButton";
import type { Item } from "../item";
import { PreviewError } from "../PreviewState";
import type { Dimensions } from "./dimensions";
import type { ReduceResult } from "./reduceImage.worker";

const MAX_SIDE = 2_048;

interface ReducedImageProps {
  item: Item;
  bytes: Uint8Array<ArrayBuffer>;
  dimensions: Dimensions;
}

/** Scaled-down copy of a large image, created in a worker. */
export function ReducedImage({ item, bytes, dimensions: { width, height } }: ReducedImageProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [status, setStatus] = useState<"loading" | "loaded" | "failed">("loading");
  useEffect(() => {
    const worker = new Worker(new URL("./reduceImage.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<ReduceResult>) => {
      worker.terminate();
      if (data.bitmap && canvas.current) draw(canvas.current, data.bitmap);
      setStatus(data.bitmap ? "loaded" : "failed");
    };
    worker.onerror = () => setStatus("failed");
    worker.postMessage({ blob: new Blob([bytes], { type: item.mime }), width, height, maxSide: MAX_SIDE });
    return () => worker.terminate();
  }, [bytes, item.mime, width, height]);
  if (status === "failed") return <PreviewError item={item} message={texts.viewers.damagedImage} />;
  return (
    <>
      <p className="viewer-note" role="note">
        Showing a reduced copy; the original has {width} × {height} pixels.{" "}
        <DownloadButton item={item} label={texts.viewers.downloadOriginal} />
      </p>
      {status === "loading" && <p className="viewer-message">{texts.app.loading}</p>}
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
