/** Makes a smaller copy of an image that would take too much of the page's memory and time. */
interface Wanted {
  blob: Blob;
  width: number;
  height: number;
  longest: number;
}

export interface Reduced {
  bitmap: ImageBitmap | null;
}

onmessage = async ({ data }: MessageEvent<Wanted>) => {
  const bitmap = await reduced(data).catch(() => null); // damaged: the page says so
  const answer: Reduced = { bitmap };
  postMessage(answer, { transfer: bitmap ? [bitmap] : [] });
};

async function reduced({ blob, width, height, longest }: Wanted): Promise<ImageBitmap> {
  const scale = longest / Math.max(width, height);
  return createImageBitmap(blob, {
    resizeWidth: Math.max(1, Math.round(width * scale)),
    resizeHeight: Math.max(1, Math.round(height * scale)),
    resizeQuality: "medium",
  });
}
