import { useSyncExternalStore } from "react";

import { size } from "../shared/format";
import { cancelUpload, listUploads, onUploads, resumeUpload, type Upload } from "./upload/store";

/** The uploads of this page that are not over, each with how far it is. */
export function UploadList() {
  const uploads = useSyncExternalStore(onUploads, listUploads).filter(({ state }) => state !== "done");
  return (
    <div role="status" aria-live="polite" className="upload-status">
      {uploads.length > 0 && (
        <ul className="upload-list" aria-label="Uploads">
          {uploads.map((upload) => (
            <UploadLine key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
    </div>
  );
}

function UploadLine({ upload: { id, file, sent, state, error } }: { upload: Upload }) {
  const label = `Upload of ${file.name}`;
  return (
    <li>
      <span className="upload-name">{file.name}</span>
      <progress aria-label={label} max={Math.max(1, file.size)} value={sent} />
      <span aria-hidden>
        {size(sent)} of {size(file.size)}
      </span>
      {state === "failed" && (
        <>
          <span role="alert">{error}</span>
          <button type="button" aria-label={`Go on with ${file.name}`} onClick={() => resumeUpload(id)}>
            Go on
          </button>
        </>
      )}
      <button type="button" aria-label={`Cancel ${file.name}`} onClick={() => cancelUpload(id)}>
        Cancel
      </button>
    </li>
  );
}
