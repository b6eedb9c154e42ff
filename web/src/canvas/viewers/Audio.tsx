import { Shown } from "../Shown";
import type { ViewerProps } from ".";
import { Media } from "./Media";
import { MOST_MEDIA_BYTES, useBytes } from "./useFile";

/** A sound, with the browser's own controls. */
export default function Audio({ item }: ViewerProps) {
  return (
    <Shown item={item} loaded={useBytes(item, MOST_MEDIA_BYTES)}>
      {(bytes) => <Media item={item} bytes={bytes} Element="audio" />}
    </Shown>
  );
}
