/** Scales an image down that would take the page too much memory and time. */
interface ReduceRequest {
  blob: Blob;
  width: number;
  height: number;
  /** Length of the longer side after scaling. */
  maxSide: number;
}

export interface ReduceResult {
  /** Null if the image is damaged. */
  bitmap: ImageBitmap | null;
}

onmessage = async ({ data }: MessageEvent<ReduceRequest>) => {
  const bitmap = await reduceImage(data).catch(() => null);
  const result: ReduceResult = { bitmap };
  postMessage(result, { transfer: bitmap ? [bitmap] : [] });
};

async function reduceImage({ blob, width, height, maxSide }: ReduceRequest): Promise<ImageBitmap> {
  const scale = maxSide / Math.max(width, height);
  return createImageBitmap(blob, {
    resizeWidth: Math.max(1, Math.round(width * scale)),
    resizeHeight: Math.max(1, Math.round(height * scale)),
    resizeQuality: "medium",
  });
}
