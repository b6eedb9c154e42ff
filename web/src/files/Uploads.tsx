import { type ClipboardEvent, type DragEvent, type ReactNode, useRef, useState } from "react";

import { tellingErrors } from "../shared/errors";
import "./files.css";
import { UploadList } from "./UploadList";
import { startUpload } from "./upload/store";

export interface UploadsProps {
  /** Returns the session that files go to; the first file of a new conversation starts it. */
  sessionFor(): Promise<string>;
  /** A file is there: its name goes into the message as `@name`. */
  onUploaded(name: string): void;
  children: ReactNode;
}

/** Takes files that are dropped on, or pasted into, what is inside, and shows how far they are. */
export default function Uploads({ sessionFor, onUploaded, children }: UploadsProps) {
  const [over, setOver] = useState(false);
  const depth = useRef(0);
  const enter = (by: number) => {
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  };
  const take = async (files: readonly File[]) => {
    const sessionId = await sessionFor();
    for (const file of files) startUpload(file, sessionId, (made) => onUploaded(made.name));
  };
  const drop = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    const files = [...event.dataTransfer.files]; // they are not there any more when the session is
    void tellingErrors(() => take(files));
  };
  const paste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    // Text copied from an office program comes with a picture of itself: the text is meant.
    if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    void tellingErrors(() => take(files.map(named)));
  };
  return (
    <div
      className="uploads"
      onDragEnter={(event) => holdsFiles(event) && enter(1)}
      onDragLeave={(event) => holdsFiles(event) && enter(-1)}
      onDragOver={(event) => holdsFiles(event) && event.preventDefault()}
      onDrop={drop}
      onPaste={paste}
    >
      {children}
      <UploadList />
      {over && <p className="drop-here">Drop files to upload them</p>}
    </div>
  );
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes("Files");
}

/** Pictures that are pasted are all called alike, and each would replace the one before. */
function named(file: File): File {
  if (file.name !== "image.png") return file;
  const at = new Date().toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return new File([file], `Pasted ${at}.png`, { type: file.type });
}
