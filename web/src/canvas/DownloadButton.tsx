import { useState } from "react";

import { tellingErrors } from "../shared/errors";
import { PausableButton } from "../shared/PausableButton";
import type { Item } from "./item";

interface DownloadProps {
  item: Pick<Item, "name" | "link">;
  label?: string;
  /** Which file it is about, where several stand in a list. */
  says?: string;
}

/** Fetches a file by a link that is made when it is pressed: links live for minutes, pages for hours. */
export function DownloadButton({ item, label = "Download", says }: DownloadProps) {
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    await tellingErrors(async () => follow(await item.link(), item.name));
    setBusy(false);
  };
  return (
    <PausableButton aria-label={says} paused={busy} onClick={press}>
      {label}
    </PausableButton>
  );
}

/** A large file comes from the store, another origin, where `download` counts for nothing: the answer is to say it. */
function follow(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = `${address}&attachment=true`;
  link.download = name;
  link.rel = "noreferrer";
  link.click();
}
