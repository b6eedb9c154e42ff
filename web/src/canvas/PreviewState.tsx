/** Messages in place of, or above, a file's preview. */
import type { ReactNode } from "react";
import { texts } from "../texts";

import { DownloadButton } from "./DownloadButton";
import type { Item } from "./item";
import type { AsyncState } from "./useAsync";

interface AsyncPreviewProps<T> {
  item: Item;
  state: AsyncState<T>;
  children(value: T): ReactNode;
}

/** Renders a loaded value, a loading message, or the error with a download button. */
export function AsyncPreview<T>({ item, state, children }: AsyncPreviewProps<T>) {
  if (state.status === "loading") return <p className="viewer-message">{texts.app.loading}</p>;
  if (state.status === "failed") return <PreviewError item={item} message={state.message} />;
  return children(state.value);
}

/** Reason why a file has no preview, with a download button. */
export function PreviewError({ item, message }: { item: Item; message: string }) {
  return (
    <div className="viewer-message">
      <p role="alert">{message}</p>
      <DownloadButton item={item} />
    </div>
  );
}

/** Note that a preview shows only part of a file; `shown` says which part. */
export function TruncationNote({ item, shown }: { item: Item; shown: string }) {
  return (
    <p className="viewer-note" role="note">
      {texts.canvas.showing(shown)} <DownloadButton item={item} label={texts.canvas.downloadFull} />
    </p>
  );
}
