import { Shown } from "../Shown";
import type { ViewerProps } from ".";
import { Media } from "./Media";
import { MOST_MEDIA_BYTES, useBytes } from "./useFile";

/** A film, with the browser's own controls. */
export default function Video({ item }: ViewerProps) {
  return (
    <Shown item={item} loaded={useBytes(item, MOST_MEDIA_BYTES)}>
      {(bytes) => <Media item={item} bytes={bytes} Element="video" />}
    </Shown>
  );
}
