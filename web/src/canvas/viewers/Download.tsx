import { formatSize } from "../../shared/format";
import { DownloadButton } from "../DownloadButton";
import type { ViewerProps } from "./types";

/** Metadata and a download button, for files without a preview. */
export default function Download({ item }: ViewerProps) {
  return (
    <div className="viewer-message">
      <p className="file-name">{item.name}</p>
      <p>
        {item.mime}, {formatSize(item.size)}
      </p>
      {item.description && <p>{item.description}</p>}
      <DownloadButton item={item} />
    </div>
  );
}
