import { size } from "../../shared/format";
import { DownloadButton } from "../DownloadButton";
import type { ViewerProps } from ".";

/** A file that nothing here shows. */
export default function Download({ item }: ViewerProps) {
  return (
    <div className="viewer-note">
      <p className="file-name">{item.name}</p>
      <p>
        {item.mime}, {size(item.size)}
      </p>
      {item.description && <p>{item.description}</p>}
      <DownloadButton item={item} />
    </div>
  );
}
