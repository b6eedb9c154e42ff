/** Reads the dimensions of an image from its header, to refuse huge images before the browser decodes them. */
/** In pixels. */
export interface Dimensions {
  width: number;
  height: number;
}

type HeaderReader = (view: DataView) => Dimensions | null;

const READERS: readonly HeaderReader[] = [png, gif, bmp, webp, jpeg];

/** Return the dimensions of an image; null if the format is unknown or the header is incomplete. */
export function readDimensions(bytes: Uint8Array): Dimensions | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const read of READERS) {
    try {
      const dimensions = read(view);
      if (dimensions) return dimensions;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // the data is too short for this format
    }
  }
  return null;
}

function png(view: DataView): Dimensions | null {
  if (view.getUint32(0) !== 0x89504e47) return null;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(view: DataView): Dimensions | null {
  if (view.getUint32(0) !== 0x47494638) return null;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function bmp(view: DataView): Dimensions | null {
  if (view.getUint16(0) !== 0x424d) return null;
  return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

function webp(view: DataView): Dimensions | null {
  if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return null;
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X, extended: 24 bits each, minus one
      return { width: 1 + (view.getUint32(24, true) & 0xffffff), height: 1 + (view.getUint32(27, true) & 0xffffff) };
    case 0x5650384c: { // VP8L, lossless: 14 bits each, minus one
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
    }
    case 0x56503820: // VP8, lossy
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return null;
  }
}

/** The first frame header holds the dimensions; segments of any length precede it. */
function jpeg(view: DataView): Dimensions | null {
  if (view.getUint16(0) !== 0xffd8) return null;
  for (let offset = 2; ; offset += 2 + view.getUint16(offset + 2)) {
    const marker = view.getUint16(offset);
    if (marker >> 8 !== 0xff) return null;
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { height: view.getUint16(offset + 5), width: view.getUint16(offset + 7) };
  }
}
