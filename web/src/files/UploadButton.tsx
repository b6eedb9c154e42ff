import { useRef } from "react";

import { startUpload } from "./upload/store";

/** Choose files to upload. */
export function UploadButton({ sessionId }: { sessionId: string | null }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        Upload
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          for (const file of event.target.files ?? []) startUpload(file, sessionId, () => undefined);
          event.target.value = ""; // the same file can be chosen again
        }}
      />
    </>
  );
}
