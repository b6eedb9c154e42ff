import type { ReactNode } from "react";

import { size } from "../shared/format";
import { DownloadButton } from "./DownloadButton";
import type { Item } from "./item";
import type { Loaded } from "./useLoaded";

interface ShownProps<T> {
  item: Item;
  loaded: Loaded<T>;
  children(value: T): ReactNode;
}

/** What was loaded, or that it is loading, or why it cannot be shown and how to have it all the same. */
export function Shown<T>({ item, loaded, children }: ShownProps<T>) {
  if (loaded.state === "loading") return <p className="viewer-note">Loading…</p>;
  if (loaded.state === "failed") return <NotShown item={item} why={loaded.message} />;
  return children(loaded.value);
}

/** Why a file is not shown here. */
export function NotShown({ item, why }: { item: Item; why: string }) {
  return (
    <div className="viewer-note">
      <p role="alert">{why}</p>
      <DownloadButton item={item} />
    </div>
  );
}

/** That only the beginning of a file is shown. */
export function CutNote({ item, shown }: { item: Item; shown: string }) {
  return (
    <p className="viewer-cut" role="note">
      {shown} of {size(item.size)} is shown. <DownloadButton item={item} label="Download all of it" />
    </p>
  );
}
