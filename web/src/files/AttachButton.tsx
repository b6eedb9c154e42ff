import { useRef } from "react";

import type { FileRecord } from "../api/types";
import { Icon } from "../shared/Icon";
import { withErrorToast } from "../shared/notifications";
import { startUpload } from "./upload/uploadStore";

interface AttachButtonProps {
  /** Returns the session for the files; the first file of a new conversation creates it. */
  sessionFor(): Promise<string>;
  onUploaded(file: FileRecord): void;
}

/** Button beside the message that uploads files and attaches them to the message. */
export default function AttachButton({ sessionFor, onUploaded }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const upload = async (files: readonly File[]) => {
    const sessionId = await sessionFor();
    for (const file of files) startUpload(file, sessionId, onUploaded);
  };
  return (
    <>
      <button type="button" className="plain" aria-label="Attach files" onClick={() => input.current?.click()}>
        <Icon name="attach" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = ""; // otherwise choosing the same file again fires no event
          void withErrorToast(() => upload(files));
        }}
      />
    </>
  );
}
