import { useState } from "react";
import { texts } from "../texts";

import { Button } from "../shared/Button";
import { Icon } from "../shared/Icon";
import { withErrorToast } from "../shared/notifications";
import type { Item } from "./item";

interface DownloadButtonProps {
  item: Pick<Item, "name" | "link">;
  label?: string;
  /** True for a button that shows an icon only. */
  compact?: boolean;
  /** Accessible name, needed if there are several download buttons. */
  ariaLabel?: string;
}

/** Downloads a file. The link is fetched on click: links expire within minutes, while the page may stay open for hours. */
export function DownloadButton({ item, label = texts.canvas.download, compact = false, ariaLabel }: DownloadButtonProps) {
  const [busy, setBusy] = useState(false);
  const onClick = async () => {
    setBusy(true);
    await withErrorToast(async () => startDownload(await item.link(), item.name));
    setBusy(false);
  };
  if (compact) {
    return (
      <Button className="plain icon-button" aria-label={ariaLabel ?? label} title={label} disabled={busy} onClick={onClick}>
        <Icon name="download" />
      </Button>
    );
  }
  return (
    <Button aria-label={ariaLabel} disabled={busy} onClick={onClick}>
      {label}
    </Button>
  );
}

/** `attachment=true` is needed because browsers ignore `download` for another origin, such as the file storage. */
export function startDownload(url: string, name: string): void {
  const link = document.createElement("a");
  const address = new URL(url, location.origin);
  address.searchParams.set("attachment", "true");
  link.href = address.href;
  link.download = name;
  link.rel = "noreferrer";
  link.click();
}
